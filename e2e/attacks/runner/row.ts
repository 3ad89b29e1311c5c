import type {
  RawAnswer,
  RawRequest,
} from "../../../kernel/core/test/support/raw-http.ts";
import type { Browser } from "playwright-core";
import type { SlowClients } from "../world/slow-clients.ts";
import type { Route } from "../world/routes.ts";
import type { World } from "../world/world.ts";

/** What must come of one request. */
export type Outcome =
  | {
      refused: number | readonly number[];
      /** Code of the problem; several where more than one gate may speak first. */
      code?: string | readonly string[];
      /** Further looks at the answer. */
      check?(answer: RawAnswer): void;
    }
  | { accepted: true; check?(answer: RawAnswer): void };

/** One request of a row. */
export interface Trial {
  /** What is particular to it, for the message when it comes out otherwise. */
  name: string;
  send: RawRequest | string | Uint8Array;
  expect: Outcome;
}

interface RowHead {
  /** As in the list of cases; what was thought of beside a case has its number and a letter. */
  id: string;
  title: string;
}

/** An attack that this suite makes. */
export interface AttackRow extends RowHead {
  /** Runs in `npm test`, as one of its family; the other rows run in `npm run test:all` only. */
  everyChange?: true;
  /** Requests that are judged one by one. */
  trials?(world: World): Iterable<Trial>;
  /** What is done before the daemon's memory is noted: what it loads at the first use is not what an attack costs it. */
  warmUp?(world: World): Promise<void>;
  /** What a list of requests cannot say. */
  run?(world: World, scene: Scene): Promise<void>;
  /** It is made in a browser, so it is left out where there is none. */
  inBrowser?: true;
  /** It is allowed in, so something changes; what may and what may not, it asserts itself. */
  changes?: true;
  /** It ends sessions or uses up budgets, so it gets a daemon that no other row needs. */
  ownDaemon?: true;
  /** Lines of level error that it is known to cause. */
  faults?: readonly RegExp[];
}

/** A case that a test elsewhere makes, with means that this suite lacks, such as a clock to set. */
export interface ProvedRow extends RowHead {
  /** File from the root of the repository, and the title of the test in it. */
  provedBy: readonly (readonly [file: string, test: string])[];
}

/** A case of something that is not there yet. */
export interface WaitingRow extends RowHead {
  waitsFor: string;
  /** Whether what it waits for has come; then the row is due. */
  isDue(routes: readonly Route[]): boolean;
}

/** What rows are made in, beside the daemon. */
export interface Scene {
  readonly browser: Browser;
  /** Clients that have been slow since the suite began. */
  readonly slow: SlowClients;
}

export type Row = AttackRow | ProvedRow | WaitingRow;

/** Refused with this status and code. */
export function refused(
  status: number | readonly number[],
  code?: string | readonly string[],
  check?: (answer: RawAnswer) => void,
): Outcome {
  return { refused: status, code, check };
}

/** Let through. */
export function accepted(check?: (answer: RawAnswer) => void): Outcome {
  return { accepted: true, check };
}
