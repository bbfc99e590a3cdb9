/**
 * In place of the SDK's search for credentials: Lambda puts them into the environment, always. Profiles, single sign-on
 * and instance metadata would be a tenth of the bundle, and a function that fell back to them would be wrong.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
