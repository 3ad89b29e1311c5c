import { parseArgs } from "node:util";

/** What the command was asked for. */
export interface Arguments {
  /** Names of what is to be measured, in their usual order. */
  names: readonly string[];
  /** How often each thing is measured. */
  rounds: number;
  /** How long each takes under load. */
  seconds: number;
  /** Whether homes that take minutes to fill are small. */
  isQuick: boolean;
}

const DEFAULT_ROUNDS = 5;
const DEFAULT_SECONDS = 2;

/** Reads the arguments of the command, `undefined` if they are wrong. */
export function readArguments(
  args: readonly string[],
  known: readonly string[],
): Arguments | undefined {
  const values = parse(args);
  if (!values) return undefined;
  const only = values.only ?? known;
  const rounds = Number(values.rounds ?? DEFAULT_ROUNDS);
  const seconds = Number(values.seconds ?? DEFAULT_SECONDS);
  const isRight =
    only.every((name) => known.includes(name)) &&
    Number.isInteger(rounds) &&
    rounds >= 1 &&
    Number.isInteger(seconds) &&
    seconds >= 1;
  if (!isRight) return undefined;
  return {
    names: known.filter((name) => only.includes(name)),
    rounds,
    seconds,
    isQuick: values.quick ?? false,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: "string", multiple: true },
        rounds: { type: "string" },
        seconds: { type: "string" },
        quick: { type: "boolean" },
      },
    }).values;
  } catch {
    return undefined;
  }
}

/** How to call the command, for the message about wrong arguments. */
export function renderUsage(known: readonly string[]): string {
  return `Usage: npm run bench -- [--only ${known.join("|")}]… [--rounds ${DEFAULT_ROUNDS}] [--seconds ${DEFAULT_SECONDS}] [--quick]`;
}
