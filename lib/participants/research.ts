/** Thinks about a question in three steps that change nothing, so there is nothing to undo. */
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { readOnly, service } from '../worker/index.ts';

const ANGLES = ['what is known', 'what is disputed', 'what nobody asked'];

export const research = service('research', {
  'research:mine': readOnly(EXAMPLE_TOPICS['research:mine'], ({ input }) => ({
    findings: ANGLES.map((angle) => `${angle}: ${input.question}`),
  })),
  'research:audit': readOnly(EXAMPLE_TOPICS['research:audit'], ({ input }) => ({
    accepted: input.findings.filter((finding) => answers(finding, input.question)),
    rejected: input.findings.filter((finding) => !answers(finding, input.question)),
  })),
  'research:plan': readOnly(EXAMPLE_TOPICS['research:plan'], ({ input }) => ({
    plan: input.findings.map((finding, index) => `${index + 1}. follow up on ${finding}`),
  })),
});

/** Disputed claims need a second source, which this example does not have. */
function answers(finding: string, question: string): boolean {
  return finding.endsWith(question) && !finding.startsWith('what is disputed');
}
