import type { AuditEntry } from "./wire.ts";

/** What an entry of the audit log is about, to choose by. */
export type AuditKind = "access" | "refused" | "plugins" | "other";

interface Words {
  title: string;
  kind: AuditKind;
  icon: string;
}

const words: Readonly<Record<string, Words>> = {
  "audit.damaged": other("The log itself was damaged", "i-lucide-scissors"),
  "audit.lost": other("Entries were lost", "i-lucide-scissors"),
  "daemon.started": other("Gantry started", "i-lucide-power"),
  "daemon.stopped": other("Gantry stopped", "i-lucide-power"),
  "host.refused": refused("A foreign name was refused"),
  "lock.taken-over": other("Gantry had ended without a stop", "i-lucide-power"),
  "mode.changed": access("Who has to pair was changed", "i-lucide-shield"),
  "origin.refused": refused("A page of another origin was refused"),
  "pairing.failed": refused("A wrong pairing code was refused"),
  "pairing.minted": access("A pairing code was made", "i-lucide-qr-code"),
  "pairing.used": access("A pairing code was used", "i-lucide-qr-code"),
  "plugin.added": plugins("A plugin was added"),
  "plugin.enabled": plugins("A plugin was tried again"),
  "plugin.loaded": plugins("A plugin was loaded"),
  "plugin.removed": plugins("A plugin was removed"),
  "session.ended": access("A session ended", "i-lucide-log-out"),
  "session.made": access("A device was let in", "i-lucide-log-in"),
  "session.revoked": access("A device was revoked", "i-lucide-log-out"),
  "token.rotated": access(
    "The install token was replaced",
    "i-lucide-key-round",
  ),
  "agents.trust-given": other("A folder was trusted", "i-lucide-folder-check"),
  "automations.hook-refused": refused("A webhook call was refused"),
  "automations.secret-made": access(
    "A webhook secret was made",
    "i-lucide-key-round",
  ),
};

function access(title: string, icon: string): Words {
  return { title, kind: "access", icon };
}
function refused(title: string): Words {
  return { title, kind: "refused", icon: "i-lucide-shield-x" };
}
function plugins(title: string): Words {
  return { title, kind: "plugins", icon: "i-lucide-blocks" };
}
function other(title: string, icon: string): Words {
  return { title, kind: "other", icon };
}

/** What an entry says, in words. One that is not known is shown as it is. */
export function describeEntry({ action }: AuditEntry): Words {
  const known = Object.hasOwn(words, action) ? words[action] : undefined;
  if (known) return known;
  return action.endsWith("refused")
    ? refused(action)
    : other(action, "i-lucide-scroll-text");
}

/** The details of an entry on one line. */
export function detailsOf({ details }: AuditEntry): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(" · ");
}
