/**
 * The workflows that the Lambdas run: the examples. The `Orchestrator` construct bundles a team's own module in place of
 * this one, under the name `#definitions`; it exports `definitions` as this one does.
 */
export { examples as definitions } from '../lib/workflows/examples.ts';
