/**
 * The documents that describe this deployment's interface, made from its definitions when they are first asked for:
 * most instances of a function never are.
 */
import type { JsonObject } from '../core/json.ts';
import type { Workflow } from '../definition/index.ts';
import { asyncApiDocument } from './asyncapi/index.ts';
import { type Descriptor, descriptorOf, specOf } from './benzene.ts';
import { API_OPERATIONS, openApiDocument } from './openapi/index.ts';

export interface ApiDocuments {
  openApi(): JsonObject;
  asyncApi(): JsonObject;
  /** Of the Benzene profile. */
  spec(): ReturnType<typeof specOf>;
  descriptor(): Descriptor;
}

/** Of the interface's shapes; additions raise the second number. */
const INTERFACE_VERSION = '1.0.0';

export function apiDocuments({ workflows }: { readonly workflows: readonly Workflow[] }): ApiDocuments {
  return {
    openApi: once(() => {
      // Of each type its newest version: that is what a submit without a version gets.
      const inputs = Object.fromEntries(workflows.map(({ plan, input }) => [plan.type, input]));
      return openApiDocument({ version: INTERFACE_VERSION, operations: API_OPERATIONS, inputs });
    }),
    spec: once(() => specOf(INTERFACE_VERSION, workflows)),
    descriptor: once(() => descriptorOf(INTERFACE_VERSION, workflows)),
    asyncApi: once(() =>
      asyncApiDocument(
        INTERFACE_VERSION,
        workflows.map(({ plan }) => plan),
      ),
    ),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
