/**
 * Secrets as AWS keeps them: in Secrets Manager, or as a parameter of Systems Manager, which a name with a slash before
 * it means. The function may read those it was told of and no others.
 */
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';

const PARAMETER = /^(\/|arn:[\w-]+:ssm:)/;
/** A secret is read while a call waits for it. */
const CLIENT = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
};

/** Answers the secret's text; throws when there is none, or no right to read it. */
export function awsSecrets(): (name: string) => Promise<string> {
  const secrets = new SecretsManagerClient(CLIENT);
  const parameters = new SSMClient(CLIENT);
  return async (name) => {
    const text = PARAMETER.test(name) ? await parameter(parameters, name) : await secret(secrets, name);
    if (text === undefined || text === '') throw new Error('there is no text in it');
    return text;
  };
}

async function secret(client: SecretsManagerClient, SecretId: string): Promise<string | undefined> {
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
  return SecretString;
}

async function parameter(client: SSMClient, Name: string): Promise<string | undefined> {
  const { Parameter } = await client.send(new GetParameterCommand({ Name, WithDecryption: true }));
  return Parameter?.Value;
}
