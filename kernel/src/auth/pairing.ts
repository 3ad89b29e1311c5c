import { randomBytes } from "node:crypto";
import { createIdentifier } from "@gantry/plugin";
import type { Clock } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { hashSecret, matchesHash } from "./secret.ts";
import { createBucket } from "./bucket.ts";

/** Crockford's base 32: what could be mistaken for a 0 or 1 is not in it, and is read as one. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const HANDLE_LENGTH = 4;
const SECRET_LENGTH = 8;
/** Bytes behind a link: 128 bits. */
const LINK_BYTES = 16;
const LIFETIME_MS = 10 * 60 * 1000;
const MOST_OPEN = 5;
const MOST_TRIES = 5;
const TRIES_A_MINUTE = 30;

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
export interface Pairing {
  create(issuer: string | undefined): NewCode;
  /**
   * Spends a code: what was typed, or the secret of a link.
   *
   * @param peerAddress Address of the socket; loopback and all others have a budget of tries each.
   * @throws `PAIRING_REFUSED` for a wrong, used or expired code, the same whichever it is; `PAIRING_TOO_MANY`
   */
  redeem(input: string, peerAddress: string): void;
  /** Whether this is a code that could be spent now, in any spelling. Spends nothing. */
  isOpen(input: string): boolean;
  /** Drops the codes that a session asked for. */
  endIssuer(sessionId: string): void;
}

/** Makes the pairing desk. */
export function createPairing(clock: Clock): Pairing {
  let open: OpenCode[] = [];
  const budgets = {
    loopback: createBucket(clock, TRIES_A_MINUTE, 60_000),
    other: createBucket(clock, TRIES_A_MINUTE, 60_000),
  };

  const dropExpired = () => {
    open = open.filter((code) => code.deadline > clock.monotonic());
  };

  function spend(code: OpenCode): void {
    open = open.filter((other) => other !== code);
  }

  function redeemTyped(typed: string): OpenCode | undefined {
    const handle = typed.slice(0, HANDLE_LENGTH);
    const code = open.find((candidate) => candidate.handle === handle);
    // Compared also when there is none, so that the time tells nothing.
    if (matchesHash(typed.slice(HANDLE_LENGTH), code?.secretHash)) return code;
    if (code && ++code.tries >= MOST_TRIES) spend(code);
    return undefined;
  }

  return {
    create(issuer) {
      dropExpired();
      const handle = randomLetters(HANDLE_LENGTH);
      const secret = randomLetters(SECRET_LENGTH);
      const linkSecret = randomBytes(LINK_BYTES).toString("base64url");
      const code: OpenCode = {
        id: createIdentifier("pai"),
        handle,
        secretHash: hashSecret(secret),
        linkHash: hashSecret(linkSecret),
        deadline: clock.monotonic() + LIFETIME_MS,
        tries: 0,
        issuer,
      };
      open = [...open.filter((other) => other.handle !== handle), code].slice(
        -MOST_OPEN,
      );
      return {
        id: code.id,
        code: `${handle}${secret}`.replace(/(.{4})(?=.)/g, "$1-"),
        linkSecret,
        expiresAt: new Date(clock.now() + LIFETIME_MS).toISOString(),
      };
    },
    redeem(input, peerAddress) {
      const budget = isLoopbackAddress(peerAddress)
        ? budgets.loopback
        : budgets.other;
      const wait = budget.take();
      if (wait > 0)
        throw errors.PAIRING_TOO_MANY({}, { retryAfter: wait / 1000 });
      dropExpired();
      const typed = normalizeTyped(input);
      const code =
        typed.length === HANDLE_LENGTH + SECRET_LENGTH
          ? redeemTyped(typed)
          : open.find((candidate) => matchesHash(input, candidate.linkHash));
      if (!code) throw errors.PAIRING_REFUSED();
      spend(code);
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

/** Whether an address of a socket is this machine. */
export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address);
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
