import type { RequestHead } from "@gantry/plugin";
import type { Presented } from "../wire/call.ts";

/** Largest body of a call. */
export const MAX_PAYLOAD_BYTES = 65_536;

/** Headers in which services send a signature of the body, or a secret of their own. */
const SIGNATURE_HEADERS = [
  "x-hub-signature-256",
  "x-hub-signature",
  "x-gitlab-token",
  "x-gitea-signature",
  "x-gogs-signature",
  "x-forgejo-signature",
  "x-shopify-hmac-sha256",
  "x-slack-signature",
  "x-signature",
  "x-webhook-signature",
  "stripe-signature",
  "linear-signature",
  "sentry-hook-signature",
  "svix-signature",
  "webhook-signature",
];

/** What a call showed to prove itself, by its headers. */
export function presentedBy(head: RequestHead): Presented {
  const header = head.header("authorization");
  if (header !== undefined)
    return /^Bearer +\S+ *$/i.test(header) ? "secret" : "other-scheme";
  const isSigned = SIGNATURE_HEADERS.some(
    (name) => head.header(name) !== undefined,
  );
  return isSigned ? "signature" : "nothing";
}

const SEND = "Send the header Authorization: Bearer <secret>";

const UNAUTHORIZED: Record<Presented, string> = {
  nothing: `The call had no Authorization header. ${SEND}.`,
  signature: `The call was signed and had no Authorization header. Signatures are not checked. ${SEND}; for a service that can only sign, put a relay in between that checks the signature and adds the header.`,
  "other-scheme": `The Authorization header is not of the form Bearer <secret>. ${SEND}, with one space and nothing else.`,
  "secret-while-revoked":
    "The secret of this webhook was revoked on this machine, and a restore brought it back. No call passes until a new secret is made, on the page of the automation or with POST /api/automations/{id}/secret.",
  secret:
    "The secret in the Authorization header is not the one of this webhook. Copy it again, or make a new one if it was not kept.",
};

const HELP: Readonly<Record<string, string>> = {
  WEBHOOK_UNAUTHORIZED: `The call did not carry the secret of this webhook. ${SEND}.`,
  WEBHOOK_TOO_MANY_TRIES:
    "More than ten calls within a minute came without the right secret. Correct the secret of the caller; calls with the right one pass.",
  WEBHOOK_TOO_MANY_CALLS:
    "Calls came faster than they can be recorded, and none could start a run. Let the caller send less often, or wait as long as Retry-After says.",
  WEBHOOK_SECRET_IN_QUERY:
    "The secret was in the address, which ends up in logs. Send it in the Authorization header only, and make a new one.",
  WEBHOOK_HEADER_REPEATED:
    "The call had more than one Authorization header. Send exactly one.",
  AUTOMATION_OFF:
    "The automation was switched off. Switch it on, then let the caller send again.",
  BODY_TOO_LARGE: `The body was too large: a webhook takes at most 65,536 bytes. Let the caller send less, such as fewer events or only an id.`,
  BODY_MEDIA_TYPE:
    "The body was compressed. Send it without a Content-Encoding header; its content type may be any.",
  BODY_REFUSED:
    "The body was too large, compressed, or did not arrive whole. Send at most 65,536 bytes without compression.",
  HTTP_TIMEOUT:
    "The body did not arrive within 10 seconds. Check the connection of the caller, and send again.",
  HTTP_BAD_REQUEST:
    "The connection ended before the body had arrived. Check the connection of the caller, and send again.",
  METHOD_NOT_ALLOWED: "The call was not a POST. Send a POST.",
  INPUT_INVALID:
    "The address had parameters after a question mark. Send them in the body instead.",
  IDEMPOTENCY_KEY_INVALID:
    "The delivery's id (Idempotency-Key or X-GitHub-Delivery) is not 1 to 128 visible characters in one header. Correct it.",
  IDEMPOTENCY_KEY_REUSED:
    "The delivery's id (Idempotency-Key or X-GitHub-Delivery) came before with another body. Give each delivery an id of its own.",
  IDEMPOTENCY_INTERRUPTED:
    "A delivery with the same id was interrupted, so it is unknown what came of it. Look at the runs, and send it with a new id if it is missing.",
};

/**
 * Why a call was refused and what to do about it, from fixed texts only: nothing that the caller sent is in it.
 *
 * @returns `null` for a call that was not refused
 */
export function helpFor(
  verdict: string,
  code: string | null,
  presented?: Presented,
): string | null {
  if ((verdict !== "refused" && verdict !== "limited") || code === null)
    return null;
  if (code === "WEBHOOK_UNAUTHORIZED" && presented)
    return UNAUTHORIZED[presented];
  return (
    HELP[code] ??
    "The daemon could not take the call. Look for its code in the log, and send it again."
  );
}
