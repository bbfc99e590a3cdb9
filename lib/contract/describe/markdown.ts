/** Parts as Markdown, in the form a formatter leaves alone, so that a committed copy can be compared byte by byte. */
import type { Block, Part } from './document.ts';

export function markdown(parts: readonly Part[], depth = 2): string {
  return parts
    .map((part) => `${'#'.repeat(depth)} ${part.title}\n\n${part.blocks.map(block).join('\n\n')}`)
    .join('\n\n');
}

function block(one: Block): string {
  switch (one.kind) {
    case 'text':
      return one.text;
    case 'table':
      return [one.head, one.head.map(() => '---'), ...one.rows].map(row).join('\n');
    case 'drawing':
      return `\`\`\`mermaid\n${one.mermaid}\n\`\`\``;
    case 'list':
      return one.items.map((item) => `- ${item}`).join('\n');
  }
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

/** Only what is drawn; a part without a drawing has nothing to show here. */
export function mermaid(parts: readonly Part[]): string {
  return parts
    .flatMap(({ blocks }) => blocks.flatMap((one) => (one.kind === 'drawing' ? [one.mermaid] : [])))
    .join('\n\n');
}
