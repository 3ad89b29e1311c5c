import { hash, randomBytes } from "node:crypto";
import { createIdentifier } from "@gantry/plugin";
import type { Clock } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import { isLoopbackAddress } from "@gantry/http/peer-address";
import { matchesHash } from "@gantry/system/secret";
import { createBucket } from "@gantry/system/bucket";

/** Crockford's base 32: what could be mistaken for a 0 or 1 is not in it, and is read as one. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const HANDLE_LENGTH = 4;
const SECRET_LENGTH = 8;
/** Bytes behind a link: 128 bits. */
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
  /** By the monotonic clock, so that setting the clock back revives nothing. */
  deadline: number;
  tries: number;
  /** Session that asked for it; it dies with that session. */
  issuer: string | undefined;
}

/** A new code, shown once. */
export interface NewCode {
  id: string;
  /** 12 characters to type, in groups of four. */
  code: string;
  /** What stands behind `#code=` in a link. */
  linkSecret: string;
  expiresAt: string;
}

/** One-time codes that pair a browser. They live in memory only, and only as hashes. */
export type Pairing = ReturnType<typeof createPairing>;

/** Makes the pairing desk. */
export function createPairing(clock: Clock) {
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
    // Compared also when there is none, so that the time tells nothing.
    if (matchesHash(typed.slice(HANDLE_LENGTH), code?.secretHash)) return code;
    if (code && ++code.tries >= MAX_TRIES) spend(code);
    return undefined;
  }

  return {
    create(issuer: string | undefined): NewCode {
      dropExpired();
      const handle = randomLetters(HANDLE_LENGTH);
      const secret = randomLetters(SECRET_LENGTH);
      const linkSecret = randomBytes(LINK_BYTES).toString("base64url");
      const code: OpenCode = {
        id: createIdentifier("pai"),
        handle,
        secretHash: hash("sha256", secret, "base64url"),
        linkHash: hash("sha256", linkSecret, "base64url"),
        deadline: clock.monotonic() + LIFETIME_MS,
        tries: 0,
        issuer,
      };
      open = [...open.filter((other) => other.handle !== handle), code].slice(
        -MAX_OPEN,
      );
      return {
        id: code.id,
        code: `${handle}${secret}`.replace(/(.{4})(?=.)/g, "$1-"),
        linkSecret,
        expiresAt: new Date(clock.now() + LIFETIME_MS).toISOString(),
      };
    },
    /**
     * Spends a code: what was typed, or the secret of a link. An open code is accepted however many wrong ones were tried,
     * by anyone; what bounds guessing at it are its own {@link MAX_TRIES}, whether or not the budget was used up then.
     *
     * @param peerAddress Address of the socket; loopback and all others have a budget of wrong tries each.
     * @throws `PAIRING_REFUSED` for a wrong, used or expired code, the same whichever it is; `PAIRING_TOO_MANY` instead
     *   while the budget is used up
     */
    redeem(input: string, peerAddress: string): void {
      dropExpired();
      const typed = normalizeTyped(input);
      // Before any budget: otherwise wrong tries of another program would cost the owner the right one.
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
    /** Whether this is a code that could be spent now, in any spelling. Spends nothing. */
    isOpen(input: string): boolean {
      dropExpired();
      const typed = normalizeTyped(input);
      return open.some(
        ({ handle, secretHash, linkHash }) =>
          matchesHash(input, linkHash) ||
          (typed.startsWith(handle) &&
            matchesHash(typed.slice(HANDLE_LENGTH), secretHash)),
      );
    },
    /** Drops the codes that a session asked for. */
    endIssuer(sessionId: string): void {
      open = open.filter((code) => code.issuer !== sessionId);
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
