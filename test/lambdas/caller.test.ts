import { describe, expect, it } from 'vitest';
import { viewerOf } from '../../lambdas/parts/caller.ts';
import { readDoorEnvironment } from '../../lib/contract/door-environment.ts';

const doors = readDoorEnvironment({
  DACAPO_OPERATORS: '111122223333/role/Operator,111122223333/user/root-cause',
  DACAPO_OPERATE_SCOPE: 'dacapo/operate',
});
const iam = (userArn: string) => viewerOf({ iam: { userArn } }, doors);

describe('a caller behind IAM', () => {
  it.each([
    ['arn:aws:sts::111122223333:assumed-role/Shop/session-1', '111122223333/role/Shop'],
    ['arn:aws:sts::111122223333:assumed-role/Shop/another', '111122223333/role/Shop'],
    ['arn:aws:iam::111122223333:user/team/ada', '111122223333/user/ada'],
    ['arn:aws:iam::111122223333:root', '111122223333/root'],
    ['arn:aws-cn:sts::111122223333:federated-user/eve', '111122223333/federated-user/eve'],
  ])('%s is %s: the account and the role or user, whatever the session is called', (arn, callerId) => {
    expect(iam(arn)).toEqual({ callerId, role: 'submitter' });
  });

  it('operates when its role was granted that, and a session cannot name itself into it', () => {
    expect(iam('arn:aws:sts::111122223333:assumed-role/Operator/x').role).toBe('operator');
    expect(iam('arn:aws:sts::111122223333:assumed-role/Shop/Operator').role).toBe('submitter');
    expect(iam('arn:aws:sts::999999999999:assumed-role/Operator/x').role).toBe('submitter');
    expect(iam('arn:aws:iam::111122223333:user/Operator').role).toBe('submitter');
  });

  it.each(['', 'arn:aws:iam::1:root', 'nonsense', 'arn:aws:sts::111122223333:assumed-role/'])('%j is nobody', (arn) => {
    expect(() => iam(arn)).toThrow('no caller is known');
  });
});

describe('a caller behind a JWT', () => {
  const claims = { iss: 'https://issuer.example', sub: 'ada' };

  it('is its issuer and subject, and operates by its scope', () => {
    expect(viewerOf({ jwt: { claims, scopes: ['dacapo/submit'] } }, doors)).toEqual({
      callerId: 'https://issuer.example#ada',
      role: 'submitter',
    });
    expect(viewerOf({ jwt: { claims, scopes: ['dacapo/operate'] } }, doors).role).toBe('operator');
    expect(viewerOf({ jwt: { claims: { ...claims, scope: 'a dacapo/operate' }, scopes: null } }, doors).role).toBe(
      'operator',
    );
  });

  it('without a subject is nobody', () => {
    expect(() => viewerOf({ jwt: { claims: { iss: 'x', sub: '' } } }, doors)).toThrow('no caller is known');
  });

  it('operates under no scope where none was set', () => {
    const none = readDoorEnvironment({});
    expect(viewerOf({ jwt: { claims, scopes: ['dacapo/operate'] } }, none).role).toBe('submitter');
  });
});

it('without an authorizer nobody is known', () => {
  expect(() => viewerOf(undefined, doors)).toThrow('no caller is known');
});
