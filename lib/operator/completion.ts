/**
 * A completion script, made from the commands themselves: at each place their subcommands and options, after an option
 * with fixed values those values. One script for both shells, since zsh can run bash's.
 */
import type { Command } from 'commander';

interface Place {
  /** The commands typed so far: `jobs list`. */
  readonly path: string;
  readonly subcommands: readonly string[];
  readonly words: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
}

export function completionScript(program: Command, shell: string): string {
  const all = places(program, '', []);
  const bash = [
    '_dacapo() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" at="" word`,
    `  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do`,
    '    case "$at/$word" in',
    ...all.flatMap(({ path, subcommands }) =>
      subcommands.map((name) => `      "${path}/${name}") at="${under(path, name)}" ;;`),
    ),
    '    esac',
    '  done',
    '  case "$at/$previous" in',
    ...all.flatMap(({ path, values }) =>
      [...values].map(([option, words]) => `    "${path}/${option}") ${reply(words)}; return ;;`),
    ),
    '  esac',
    '  case "$at" in',
    ...all.map(({ path, words }) => `    "${path}") ${reply(words)} ;;`),
    '  esac',
    '}',
    'complete -o default -F _dacapo dacapo',
  ];
  const head = shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : [];
  return `${[`# dacapo completion for ${shell}`, ...head, ...bash].join('\n')}\n`;
}

function reply(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$current"))`;
}

/** @param inherited options that every command takes */
function places(command: Command, path: string, inherited: readonly string[]): Place[] {
  const { commands, options, registeredArguments } = command;
  const own = options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]));
  const subcommands = commands.map((one) => one.name());
  const everywhere = path === '' ? own : inherited;
  const here: Place = {
    path,
    subcommands,
    words: [
      ...subcommands,
      ...registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      ...(path === '' ? own : [...own, ...inherited]),
      '--help',
    ],
    values: new Map(
      options.flatMap(({ long, argChoices }) => (long && argChoices ? [[long, argChoices] as const] : [])),
    ),
  };
  return [here, ...commands.flatMap((one) => places(one, under(path, one.name()), everywhere))];
}

function under(path: string, name: string): string {
  return path === '' ? name : `${path} ${name}`;
}
