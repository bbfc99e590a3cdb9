/** Thinks about a question in three steps that change nothing, so there is nothing to undo. */
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { readOnly, service } from '../worker/index.ts';

const QUOTED_CHARACTERS_MAX = 200;
const ANGLES = ['what is known', 'what is disputed', 'what nobody asked'];

export const research = service('research', {
  'research:mine': readOnly(EXAMPLE_TOPICS['research:mine'], ({ input }) => ({
    findings: ANGLES.map((angle) => `${angle}: ${asked(input.question)}`),
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
  return finding.endsWith(asked(question)) && !finding.startsWith('what is disputed');
}

/** Findings are about a question, and do not repeat a book that somebody asked. */
function asked(question: string): string {
  const characters = Array.from(question.slice(0, 2 * QUOTED_CHARACTERS_MAX));
  return characters.length <= QUOTED_CHARACTERS_MAX
    ? question
    : `${characters.slice(0, QUOTED_CHARACTERS_MAX).join('')}…`;
}
