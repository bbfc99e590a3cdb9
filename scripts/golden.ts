/**
 * npm run release:golden   records the histories of every version that has none yet; a recorded one is never written again
 *
 * Records what the shipped workflows do when all goes well, and when each call is refused, lost, or cut off by a cancel.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../lib/core/json.ts';
import type { WorkflowPlan } from '../lib/core/plan.ts';
import { hasUndo } from '../lib/core/plan.ts';
import { type Golden, record, type Story } from '../lib/testing/golden.ts';
import { examples } from '../lib/workflows/examples.ts';

const folder = join(import.meta.dirname, '../test/golden/histories');

const OUTPUTS: Readonly<Record<string, Json>> = {
  'tenant:create': { tenant_id: 't1' },
  'billing:setup': { account_id: 'a1' },
  'user:create': { user_id: 'u1' },
  'inventory:reserve': { reservation_id: 'r1' },
  'payment:authorise': { payment_id: 'p1' },
  'fulfilment:create': { fulfilment_id: 'f1' },
  'research:mine': { findings: ['one'] },
  'research:audit': { accepted: ['one'], rejected: [] },
  'research:plan': { plan: ['do it'] },
};
const INPUTS: Readonly<Record<string, Json>> = {
  signup: { company: 'Acme', email: 'ada@example.com', plan: 'free' },
  order: { order_id: 'o1', sku: 's1', quantity: 1, amount: 10, address: 'Main Street 1' },
  research: { question: 'why?' },
};

mkdirSync(folder, { recursive: true });
for (const plan of examples.list()) {
  const path = join(folder, `${plan.type}.${plan.version}.json`);
  const input = INPUTS[plan.type];
  if (input === undefined || existsSync(path)) continue;
  const stories = storiesOf(plan, input).map((story) => ({ name: story.name, decisions: record(plan, story) }));
  const golden: Golden = { workflow: plan.type, version: plan.version, stories };
  writeFileSync(path, `${JSON.stringify(golden)}\n`);
  console.log(`${plan.type} ${plan.version}: ${stories.length} stories`);
}

function storiesOf(plan: WorkflowPlan, input: Json): Story[] {
  const story = (name: string, trouble: Story['trouble']): Story => ({ name, input, outputs: OUTPUTS, trouble });
  const topics = plan.steps.flatMap(({ topic }) => (topic === null ? [] : [topic]));
  const undos = plan.steps.flatMap((step) => (hasUndo(step) ? step.undo.topics : []));
  return [
    story('completes', null),
    ...topics.flatMap((topic) =>
      (['refused', 'lost', 'cancelled'] as const).map((end) => story(`${topic} ${end}`, { topic, end })),
    ),
    ...undos.map((topic) => story(`cancelled, ${topic} lost`, { topic, end: 'lost' })),
  ];
}
