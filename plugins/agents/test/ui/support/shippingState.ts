import type { PushTarget, ShippingState } from "../../../ui/shipping/wire.ts";

/** A branch with nothing to commit and nothing to push, but for what a test says. */
export function shippingState(
  fields: Partial<ShippingState> = {},
): ShippingState {
  return {
    branch: "feature",
    head: { hash: "a".repeat(40), subject: "Add prices" },
    underway: null,
    ...{ staged: 0, unstaged: 0, conflicts: 0, stagedOutside: [] },
    push: pushTarget(),
    pushFault: null,
    undo: null,
    programs: { items: [], required: [], trusted: false, mark: "m1" },
    ...fields,
  };
}

/** Where a push goes. */
export function pushTarget(fields: Partial<PushTarget> = {}): PushTarget {
  return {
    remote: "origin",
    address: "https://github.com/ann/shop",
    branch: "feature",
    isDefault: false,
    isNew: false,
    commits: 0,
    behind: 0,
    command: "git push origin feature",
    ...fields,
  };
}
