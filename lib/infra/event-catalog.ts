/**
 * What consumers of the bus want to find there: the schema of every event in a registry, for code generators and the
 * console, and where it is asked for an archive, so that events of the last days can be sent again.
 */
import { type Duration, Stack } from 'aws-cdk-lib';
import { Archive } from 'aws-cdk-lib/aws-events';
import { CfnRegistry, CfnSchema } from 'aws-cdk-lib/aws-eventschemas';
import { Construct } from 'constructs';
import { eventSchemas } from '../contract/asyncapi/index.ts';
import type { Registry } from '../definition/index.ts';
import { EVENT_SOURCE, type State } from './state.ts';

export interface EventCatalogProps {
  readonly state: State;
  readonly registry: Registry;
  /** Default: true. */
  readonly schemas?: boolean;
  /** Keep every event this long. Default: no archive; it is paid for by the gigabyte. */
  readonly archive?: Duration;
}

export class EventCatalog extends Construct {
  constructor(scope: Construct, id: string, { state, registry, schemas = true, archive }: EventCatalogProps) {
    super(scope, id);
    if (schemas) this.register(registry);
    if (archive === undefined) return;
    new Archive(this, 'Archive', {
      sourceEventBus: state.bus,
      description: 'Events of processes, to be sent again',
      eventPattern: { source: [EVENT_SOURCE] },
      retention: archive,
    });
  }

  private register(registry: Registry): void {
    const { stackName } = Stack.of(this);
    const schemas = new CfnRegistry(this, 'Registry', {
      registryName: stackName,
      description: `Events of ${stackName}`,
    });
    for (const [detailType, schema] of eventSchemas(registry.list())) {
      new CfnSchema(this, detailType.replaceAll(/\W/g, '-'), {
        registryName: schemas.attrRegistryName,
        // Names that the schema registry derives itself look the same: source@detail-type.
        schemaName: `${EVENT_SOURCE}@${detailType.replaceAll(':', '-')}`,
        type: 'JSONSchemaDraft4',
        content: JSON.stringify(schema),
      });
    }
  }
}
