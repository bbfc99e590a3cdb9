/**
 * Who may import whom. LAYERS is the whole law: one row a layer, everything not listed is forbidden, types included.
 * A new directory in lib/ needs a row here first. `npm run check:imports` and test/tidy.test.ts hold it.
 *
 *   path      files of the layer (they may always import each other)
 *   may       layers it may import
 *   packages  outside libraries it may import
 *   builtins  Node's own modules: a list of names, or 'all' (node:sqlite has a rule of its own)
 *   why       what the boundary protects, and where to go instead
 */
const LAYERS = {
  core: {
    path: '^lib/core/',
    may: [],
    packages: ['croner'], // see cron-in-the-calendar
    builtins: ['crypto'], // hashing is pure; test/tidy.test.ts forbids its random side
    why: 'core says what things mean and stays pure. Pass what it needs as an argument, or move the code to operations.',
  },
  definition: {
    path: '^lib/definition/',
    may: ['core'],
    packages: ['zod'],
    builtins: ['crypto'],
    why: 'Definitions are data that every door, build and test can load. Whatever acts belongs to operations.',
  },
  ports: {
    path: '^lib/ports(\\.ts$|/)',
    may: ['core'], // its types only, see ports-hold-no-code
    why: 'Ports are interfaces on one page; they know core types and no implementation. Put the code in an adapter.',
  },
  operations: {
    path: '^lib/operations/',
    may: ['core', 'definition', 'ports', 'contract-wire'], // what leaves by the outbox is shaped where all wire shapes are
    why: 'Operations reach the outside through ports alone. Add to ports.ts what is missing and implement it in the adapters.',
  },
  contract: {
    path: '^lib/contract/',
    may: ['core', 'definition'],
    packages: ['zod'],
    builtins: ['crypto'], // check sums in what is handed out and comes back
    why: 'Shapes that cross a process depend on meaning alone. Behaviour belongs to operations, transport to http or adapters.',
  },
  'adapter-aws': {
    path: '^lib/adapters/aws/',
    may: ['core', 'ports', 'contract', 'random-ids'],
    packages: ['@aws-sdk/[^/]+', '@smithy/[^/]+', '@aws-lambda-powertools/[^/]+'],
    builtins: 'all',
    why: 'An adapter implements ports and knows no other adapter and no operation. Share code through core or contract.',
  },
  'adapter-sqlite': {
    path: '^lib/adapters/sqlite/',
    may: ['core', 'ports', 'contract', 'job-changes', 'hmac-signer'],
    builtins: 'all',
    why: 'An adapter implements ports and knows no other adapter and no operation. Share code through core or contract.',
  },
  'adapter-memory': {
    path: '^lib/adapters/memory/',
    may: ['core', 'ports', 'contract', 'job-changes', 'hmac-signer'],
    why: 'The memory adapter must replay from a seed: no other adapter, no operation, nothing of Node.',
  },
  crashable: {
    path: '^lib/adapters/crashable\\.ts$',
    may: ['core', 'ports'],
    why: 'It wraps any ports, whatever is behind them, so it may know their interface only.',
  },
  'random-ids': {
    path: '^lib/adapters/random-ids\\.ts$',
    may: ['ports'],
    builtins: ['crypto'],
    why: 'Chance for whoever runs for real; it knows the interface only.',
  },
  'hmac-signer': {
    path: '^lib/adapters/hmac-signer\\.ts$',
    may: ['ports'],
    builtins: ['crypto'],
    why: 'Signs with a key that it is given; where that is kept is the business of whoever gives it.',
  },
  'job-changes': {
    path: '^lib/adapters/job-changes\\.ts$',
    may: ['core', 'ports'],
    why: 'Every store that writes in one process with its waiters feeds it, so it may know no store.',
  },
  http: {
    path: '^lib/http/',
    may: ['core', 'ports', 'operations', 'contract'],
    packages: ['hono'],
    builtins: 'all',
    why: 'Routes translate between contract and operations. Meaning belongs to operations, storage behind its ports.',
  },
  workflows: {
    path: '^lib/workflows/',
    may: ['definition', 'contract'],
    packages: ['zod'],
    why: 'The examples show what a team writes, with what a team has. Offer it in definition if a workflow needs it.',
  },
  worker: {
    path: '^lib/worker/',
    may: ['contract'],
    packages: ['@middy/[^/]+', '@aws-lambda-powertools/[^/]+', '@aws-sdk/client-dynamodb'],
    builtins: 'all',
    why: 'A participant shares the envelope with the orchestrator, never its code. Put shared shapes in contract.',
  },
  outbound: {
    path: '^lib/outbound/',
    may: ['core-limits', 'contract'],
    packages: ['ipaddr.js'],
    builtins: 'all',
    why: 'Whatever calls out into the world has no right at anything of ours, so it knows addresses and envelopes only.',
  },
  participants: {
    path: '^lib/participants/',
    may: ['worker', 'contract'],
    packages: ['zod'],
    builtins: 'all',
    why: 'Example services know what any other service could know: the worker kit and the contract.',
  },
  local: {
    path: '^lib/local/',
    may: [
      'core',
      'definition',
      'ports',
      'operations',
      'http',
      'contract',
      'adapter-sqlite',
      'crashable',
      'job-changes',
      'random-ids',
      'workflows',
      'participants',
      'worker',
      'outbound',
    ],
    packages: ['hono', '@hono/node-server'],
    builtins: 'all',
    why: 'Embedded mode composes what exists on SQLite. Meaning belongs to operations, memory ports to simulation.',
  },
  lambdas: {
    path: '^lambdas/',
    may: [
      'core',
      'definition',
      'ports',
      'operations',
      'http',
      'contract',
      'adapter-aws',
      'workflows',
      'participants',
      'worker',
      'outbound',
    ],
    packages: ['@middy/[^/]+', '@types/aws-lambda', '@aws-sdk/credential-provider-env'],
    builtins: 'all',
    why: 'A Lambda composes what exists on AWS and is thin. Move what it needs into operations or http.',
  },
  client: {
    path: '^lib/client/',
    may: ['contract', 'definition'], // types of both, see client-carries-no-server-code
    why: 'The client runs anywhere, browsers included, and knows the wire only. Its types come from a registry of definitions.',
  },
  testing: {
    path: '^lib/testing/',
    may: ['core', 'definition', 'ports', 'operations', 'contract', 'adapter-memory', 'hmac-signer', 'client'],
    builtins: 'all',
    why: "A team's tests run the real operations on memory ports: no network, no file, no process.",
  },
  operator: {
    path: '^lib/operator/',
    may: ['client', 'contract', 'definition', 'testing'],
    packages: ['commander', '@smithy/signature-v4', '@smithy/core', '@aws-sdk/credential-provider-node'], // to sign for IAM
    builtins: 'all',
    why: 'The CLI speaks to a deployment through the client as anyone could. Add a route if it cannot.',
  },
  console: {
    path: '^lib/console/',
    may: ['client', 'contract'],
    why: 'The console speaks to a deployment through the client as anyone could. Add a route if it cannot.',
  },
  infra: {
    path: '^lib/infra/',
    may: ['core-limits', 'contract-environment', 'contract-events', 'definition', 'workflows'], // the shipped app deploys the examples
    packages: ['aws-cdk-lib', 'constructs', 'cdk-nag', 'esbuild'],
    builtins: 'all',
    why: 'Infrastructure names Lambdas by path and shares limits, environment and definitions, never running code.',
  },
};

/** Single files that a row may name where the whole layer would be too much. */
const FILES = {
  'core-limits': '^lib/core/limits\\.ts$',
  'contract-wire': '^lib/contract/wire-[^/]+\\.ts$',
  'contract-events': '^lib/contract/asyncapi/index\\.ts$',
  'contract-environment':
    '^lib/contract/(environment|aws-environment|aws-table|door-environment|http-environment|http-targets|secrets|event-names|routes)\\.ts$',
};

/** What is started or imported from outside; everything else must be reachable from here. */
const ENTRY_POINTS = [
  '^[^/]+$', // configuration at the root
  '^lib/(local|operator)/main\\.ts$',
  '^lib/infra/app\\.ts$',
  '^lib/console/main\\.tsx?$',
  '^lib/(definition|client|worker|testing)/index\\.ts$', // what a team imports
  '^lambdas/',
  '^scripts/([^/]+|[^/]+/main|bench/rig)\\.ts$',
  '^scripts/bench/(host|rig-host)\\.ts$', // measured processes, forked by path
  '^scripts/bench/rig-adapter\\.ts$', // loaded by the comparison rig, by path
  '^test/.*\\.test\\.ts$',
  '^test/.*\\.process\\.ts$', // programs that a test starts and kills
  '^test/(acceptance|stack|types)/', // found by their own runner, and by tsc
];

const pathOf = (name) => LAYERS[name]?.path ?? FILES[name];
const installed = (name) => `(^|/)node_modules/${name}/`;
const builtin = (name) => `^(node:)?${name}$`;

const rowRule = ([name, { path, may, packages = [], builtins = [], why }]) => ({
  name: `${name}-imports`,
  comment: `${why} Allowed: ${['itself', ...may, ...packages].join(', ')}.`,
  severity: 'error',
  from: { path },
  to: {
    couldNotResolve: false, // no-unresolvable speaks of those
    pathNot: [
      path,
      ...may.map(pathOf),
      ...packages.map(installed),
      ...(builtins === 'all' ? [] : builtins.map(builtin)),
    ],
    ...(builtins === 'all' ? { dependencyTypesNot: ['core'] } : {}),
  },
});

const productRules = [
  {
    name: 'layer-has-a-row',
    comment: 'This file belongs to no layer. Move it into one, or add a row to .dependency-cruiser.cjs.',
    severity: 'error',
    from: { path: '^lib/', pathNot: Object.values(LAYERS).map((layer) => layer.path) },
    to: {},
  },
  {
    name: 'ports-hold-no-code',
    comment: 'ports.ts is interfaces only. Use `import type`.',
    severity: 'error',
    from: { path: LAYERS.ports.path },
    to: { dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'sqlite-stays-embedded',
    comment: 'node:sqlite belongs to adapters/sqlite, the stores of worker, and local. Go through a port.',
    severity: 'error',
    from: {
      path: '^(lib|lambdas)/',
      pathNot: ['^lib/adapters/sqlite/', '^lib/worker/.*(store|sqlite)', '^lib/local/'],
    },
    to: { path: builtin('sqlite') },
  },
  {
    name: 'worker-kit-runs-anywhere',
    comment:
      'Only the store on DynamoDB may need the AWS SDK: whoever writes a participant elsewhere must not carry it.',
    severity: 'error',
    from: { path: '^lib/(worker|participants)/', pathNot: '^lib/worker/stores/dynamodb\\.ts$' },
    to: { path: installed('@aws-sdk/[^/]+') },
  },
  {
    name: 'zod-at-the-edge',
    comment:
      'zod belongs to contract, definition, workflows and participants. Elsewhere values are already parsed: use types.',
    severity: 'error',
    from: { path: '^(lib|lambdas)/', pathNot: '^lib/(contract|definition|workflows|participants)/' },
    to: { path: installed('zod') },
  },
  {
    name: 'cron-in-the-calendar',
    comment: 'One file turns expressions into moments, so that everybody finds the same ticks. Use core/calendar.ts.',
    severity: 'error',
    from: { path: '^(lib|lambdas)/', pathNot: '^lib/core/calendar\\.ts$' },
    to: { path: installed('croner') },
  },
  {
    name: 'product-needs-no-dev-package',
    comment: 'A devDependency is missing in production. Move it to dependencies, or import its types only.',
    severity: 'error',
    from: { path: '^(lib|lambdas)/', pathNot: '^lib/(infra|console)/' },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  },
];

const typeRules = [
  {
    name: 'client-carries-no-server-code',
    comment:
      'A client is loaded by browsers: it takes types from contract and definition, and none of their code. Use `import type`.',
    severity: 'error',
    from: { path: LAYERS.client.path },
    to: { path: [LAYERS.contract.path, LAYERS.definition.path], dependencyTypesNot: ['type-only'] },
  },
];

const houseRules = [
  {
    name: 'no-cycle',
    comment: 'Files that need each other are one thing, or share a third. Move the shared part out.',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-dead-file',
    comment:
      'Nothing that is started, tested or published reaches this file. Use it, delete it, or add it to ENTRY_POINTS in .dependency-cruiser.cjs.',
    severity: 'error',
    from: { path: ENTRY_POINTS },
    to: { path: '^(lib|lambdas|scripts|test)/', pathNot: ENTRY_POINTS, reachable: false },
  },
  {
    name: 'no-unresolvable',
    comment: 'This import leads nowhere. Relative imports carry their .ts; packages must be installed.',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'declared-packages-only',
    comment: 'This package is here by accident of another one. Add it to package.json, with its exact version.',
    severity: 'error',
    from: {},
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
];

module.exports = {
  forbidden: [...Object.entries(LAYERS).map(rowRule), ...productRules, ...typeRules, ...houseRules],
  options: {
    doNotFollow: { path: '(^|/)node_modules/' },
    exclude: { path: '^(\\.git|\\.dacapo|coverage|cdk\\.out)/' },
    // Sees `import type` too: a type is a dependency like any other.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
