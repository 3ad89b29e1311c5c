import { randomBytes } from "node:crypto";
import { createIdentifier } from "@gantry/plugin";
import type { Clock } from "@gantry/plugin";
import { createBucket } from "@gantry/http/bucket";
import { isLoopbackAddress } from "@gantry/http/peer-address";
import { errors } from "../errors.ts";
import { hashSecret, matchesHash } from "@gantry/system/secret";

/** Crockford's base 32: it lacks the letters that look like 0 or 1, which are read as these digits. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const HANDLE_LENGTH = 4;
const SECRET_LENGTH = 8;
/** Length of the secret of a link: 128 bits. */
const LINK_BYTES = 16;
const LIFETIME_MS = 10 * 60 * 1000;
const MAX_OPEN = 5;
const MAX_TRIES = 5;
const WRONG_TRIES_PER_MINUTE = 30;

interface OpenCode {
  id: string;
  handle: string;
  secretHash: string;
  linkHash: string;
  /** By the monotonic clock, so that setting the clock back does not revive an expired code. */
  deadline: number;
  tries: number;
  /** Session that created the code; the code ends with that session. */
  issuer: string | undefined;
}

/** A new code, shown once. */
export interface NewCode {
  id: string;
  /** 12 characters to type, in groups of four. */
  code: string;
  /** The value of `#code=` in a link. */
  linkSecret: string;
  expiresAt: string;
}

/** One-time codes that pair a browser. They are kept in memory only, as hashes. */
export interface Pairing {
  create(issuer: string | undefined): NewCode;
  /**
   * Uses up a code, given as typed or as the secret of a link. An open code is accepted however many wrong ones were tried;
   * guessing is bounded by {@link MAX_TRIES} of each code.
   *
   * @param peerAddress Address of the socket; loopback and all others each have a budget of wrong tries.
   * @throws `PAIRING_REFUSED` for a wrong, used or expired code, the same whichever it is; `PAIRING_TOO_MANY` instead
   *   while the budget is used up
   */
  redeem(input: string, peerAddress: string): void;
  /** Whether this is an open code, in any spelling. Does not use it up. */
  isOpen(input: string): boolean;
  /** Drops the codes that a session created. */
  endIssuer(sessionId: string): void;
}

/** Creates the pairing codes of a daemon, with none open. */
export function createPairing(clock: Clock): Pairing {
  let open: OpenCode[] = [];
  const budgets = {
    loopback: createBucket(clock, WRONG_TRIES_PER_MINUTE, 60_000),
    other: createBucket(clock, WRONG_TRIES_PER_MINUTE, 60_000),
  };

  const dropExpired = () => {
    open = open.filter((code) => code.deadline > clock.monotonic());
  };

  function spend(code: OpenCode): void {
    open = open.filter((other) => other !== code);
  }

  /** Counts a wrong try against the code whose handle it has. */
  function findTyped(typed: string): OpenCode | undefined {
    const handle = typed.slice(0, HANDLE_LENGTH);
    const code = open.find((candidate) => candidate.handle === handle);
    // Compared also without a code, so that the time does not reveal whether there is one.
    if (matchesHash(typed.slice(HANDLE_LENGTH), code?.secretHash)) return code;
    if (code && ++code.tries >= MAX_TRIES) spend(code);
    return undefined;
  }

  return {
    create(issuer) {
      dropExpired();
      const { code, shown } = createCode(clock, issuer);
      const others = open.filter(({ handle }) => handle !== code.handle);
      open = [...others, code].slice(-MAX_OPEN);
      return shown;
    },
    redeem(input, peerAddress) {
      dropExpired();
      const typed = normalizeTyped(input);
      // Before any budget, so that wrong tries of another program cannot block the right code.
      const code =
        open.find((candidate) => matchesHash(input, candidate.linkHash)) ??
        (typed.length === HANDLE_LENGTH + SECRET_LENGTH
          ? findTyped(typed)
          : undefined);
      if (code) return spend(code);
      const budget = isLoopbackAddress(peerAddress)
        ? budgets.loopback
        : budgets.other;
      const wait = budget.take();
      throw wait > 0
        ? errors.PAIRING_TOO_MANY({}, { retryAfter: wait / 1000 })
        : errors.PAIRING_REFUSED();
    },
    isOpen(input) {
      dropExpired();
      const typed = normalizeTyped(input);
      return open.some(
        ({ handle, secretHash, linkHash }) =>
          matchesHash(input, linkHash) ||
          (typed.startsWith(handle) &&
            matchesHash(typed.slice(HANDLE_LENGTH), secretHash)),
      );
    },
    endIssuer(sessionId) {
      open = open.filter((code) => code.issuer !== sessionId);
    },
  };
}

/** Creates a code: as it is kept, and as it is shown once. */
function createCode(
  clock: Clock,
  issuer: string | undefined,
): { code: OpenCode; shown: NewCode } {
  const id = createIdentifier("pai");
  const handle = randomLetters(HANDLE_LENGTH);
  const secret = randomLetters(SECRET_LENGTH);
  const linkSecret = randomBytes(LINK_BYTES).toString("base64url");
  return {
    code: {
      ...{ id, handle, issuer },
      secretHash: hashSecret(secret),
      linkHash: hashSecret(linkSecret),
      deadline: clock.monotonic() + LIFETIME_MS,
      tries: 0,
    },
    shown: {
      ...{ id, linkSecret },
      code: `${handle}${secret}`.replace(/(.{4})(?=.)/g, "$1-"),
      expiresAt: new Date(clock.now() + LIFETIME_MS).toISOString(),
    },
  };
}

function normalizeTyped(input: string): string {
  return input
    .toUpperCase()
    .replace(/[\s-]/g, "")
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1");
}

function randomLetters(length: number): string {
  // 256 is a multiple of 32, so each letter is equally likely.
  return [...randomBytes(length)].map((byte) => ALPHABET[byte & 31]).join("");
}
