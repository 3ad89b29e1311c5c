import type { AppRequest } from "../view/useAppActions.ts";
import type { Button } from "../wire.ts";

/** What a button asks for; nothing if it only leads somewhere. */
export function toRequest(
  { action, args, label, confirm, isDanger }: Button,
  extra: Readonly<Record<string, unknown>> = {},
): AppRequest | undefined {
  if (action === undefined) return undefined;
  return { action, args: { ...args, ...extra }, label, confirm, isDanger };
}
