/**
 * Findings of cdk-nag that are as they should be, acknowledged with the reason at the construct they are about. What a
 * reason does not cover stays a finding and fails the synthesis.
 */
import { Stack, Validations } from 'aws-cdk-lib';
import { CfnPolicy } from 'aws-cdk-lib/aws-iam';
import { flattenCfnReference } from 'cdk-nag/lib/utils/flatten-cfn-reference.js';
import type { IConstruct } from 'constructs';

const PACK = 'AwsSolutions';

export function acknowledge(scope: IConstruct, rule: string, reason: string): void {
  Validations.of(scope).acknowledge({ id: `${PACK}::${PACK}-${rule}`, reason });
}

export interface Wildcard {
  readonly resource: RegExp;
  readonly reason: string;
}

/**
 * Wildcards in the policies below `scope`. cdk-nag names each by its resource as it stands in the template, which is
 * known only when references between stacks have been resolved: so they are looked up when the tree is validated.
 */
export function acknowledgeWildcards(scope: IConstruct, wildcards: readonly Wildcard[]): void {
  scope.node.addValidation({
    validate: () => {
      for (const policy of scope.node.findAll().filter((node) => node instanceof CfnPolicy)) {
        for (const resource of resourcesOf(policy).filter((one) => one.includes('*'))) {
          const known = wildcards.find((one) => one.resource.test(resource));
          if (known !== undefined) acknowledge(policy, `IAM5[Resource::${resource}]`, known.reason);
        }
      }
      return [];
    },
  });
}

/** As cdk-nag prints them. */
function resourcesOf(policy: CfnPolicy): string[] {
  const document = Stack.of(policy).resolve(policy.policyDocument) as {
    readonly Statement: readonly { readonly Resource: unknown }[];
  };
  return document.Statement.flatMap(({ Resource }) => (Array.isArray(Resource) ? Resource : [Resource])).map((one) =>
    flattenCfnReference(one),
  );
}
