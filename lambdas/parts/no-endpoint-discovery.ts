/**
 * In place of the SDK's endpoint discovery, which DynamoDB's client carries and which is off unless asked for: a function
 * reaches DynamoDB at the endpoint of its region. The cache behind it would be a fiftieth of the bundle.
 */
export const resolveEndpointDiscoveryConfig = <T>(config: T): T => config;

export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => false,
  configFileSelector: () => false,
  default: false,
};
