import { isIdentifier } from "@gantry/plugin";
import type { RequestHead } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { HookSecrets } from "./secret.ts";
import type { WrongTries } from "./wrong-tries.ts";

/** Names under which people put secrets into addresses. */
const SECRET_PARAMETERS = ["secret", "token", "access_token", "key"];

/**
 * Lets a webhook call pass if its header carries the secret, before a byte of its body is read. A wrong secret, an id
 * that does not exist and a webhook that is off get the same answer.
 *
 * @param refused Called for each call that does not pass. Such calls are unauthenticated and unlimited.
 * @throws `WEBHOOK_UNAUTHORIZED`, `WEBHOOK_TOO_MANY_TRIES`, `WEBHOOK_HEADER_REPEATED`, `WEBHOOK_SECRET_IN_QUERY`
 */
export function createHookGuard(
  secrets: HookSecrets,
  wrongTries: WrongTries,
  refused: (head: RequestHead) => void,
): (head: RequestHead) => void {
  return (head) => {
    if (head.headerCount("authorization") > 1)
      throw errors.WEBHOOK_HEADER_REPEATED();
    const id = head.params.id ?? "";
    const header = head.header("authorization") ?? "";
    const [, secret = ""] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
    if (!secrets.fits(id, secret)) {
      refused(head);
      const wait = isIdentifier("aut", id) ? wrongTries.add(id) : undefined;
      if (wait !== undefined)
        throw errors.WEBHOOK_TOO_MANY_TRIES({}, { retryAfter: wait });
      throw errors.WEBHOOK_UNAUTHORIZED(
        {},
        { headers: { "www-authenticate": "Bearer" } },
      );
    }
    const isSecretInQuery =
      SECRET_PARAMETERS.some((name) => head.search.has(name)) ||
      [...head.search].flat().includes(secret);
    if (isSecretInQuery) throw errors.WEBHOOK_SECRET_IN_QUERY();
  };
}
