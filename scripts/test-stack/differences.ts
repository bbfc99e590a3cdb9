/**
 * Where the emulator differs from AWS in a way that would stop the test, and what is done about it after the deployment, so
 * that the stacks stay as they are: MiniStack 1.5.33 checks the right to make a schedule as if every schedule were of the
 * group `default`, whatever group it names.
 */
import { IAMClient, ListRolesCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';

const DRIVERS = /^dacapo-orchestrator-Orchestrator(Dispatch|Compensate)Role/;

const POLICY = {
  Version: '2012-10-17',
  Statement: [
    { Effect: 'Allow', Action: 'scheduler:CreateSchedule', Resource: 'arn:aws:scheduler:*:*:schedule/default/*' },
  ],
};

export async function settleDifferences(endpoint: string): Promise<void> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const iam = new IAMClient({ endpoint, region: 'us-east-1', credentials });
  const { Roles = [] } = await iam.send(new ListRolesCommand({ MaxItems: 1_000 }));
  for (const { RoleName = '' } of Roles.filter((role) => DRIVERS.test(role.RoleName ?? ''))) {
    const PolicyDocument = JSON.stringify(POLICY);
    await iam.send(new PutRolePolicyCommand({ RoleName, PolicyName: 'schedules-as-emulated', PolicyDocument }));
  }
}
