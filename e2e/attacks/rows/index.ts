import type { Row } from "../runner/row.ts";
import { answers } from "./answers.ts";
import { authentication } from "./authentication.ts";
import { automations } from "./automations.ts";
import { backups } from "./backups.ts";
import { inBrowser } from "./browser.ts";
import { browserTools } from "./browser-tools.ts";
import { bodies } from "./bodies.ts";
import { crossOrigin } from "./cross-origin.ts";
import { evidence } from "./evidence.ts";
import { exposure } from "./exposure.ts";
import { files } from "./files.ts";
import { folders } from "./folders.ts";
import { guessing } from "./guessing.ts";
import { hostileNamesInBrowser } from "./hostile-names.ts";
import { identifiers } from "./identifiers.ts";
import { agents, later, outgoing } from "./later.ts";
import { parsing } from "./parsing.ts";
import { plugins } from "./plugins.ts";
import { repositories } from "./repositories.ts";
import { revocation } from "./revocation.ts";
import { snapshots } from "./snapshots.ts";
import { snippets } from "./snippets.ts";
import { sockets } from "./sockets.ts";
import { terminals } from "./terminals.ts";
import { unpaired } from "./unpaired.ts";
import { upgrades } from "./upgrades.ts";
import { webhookBodies } from "./webhook-bodies.ts";
import { webhook } from "./webhook.ts";

/** All rows, by the sections of the list of cases, in the order in which they are made. */
export const sections: Readonly<Record<string, readonly Row[]>> = {
  "exposure and host": exposure,
  "requests from other origins": crossOrigin,
  sockets: [...upgrades, ...sockets],
  "who is let in": [...unpaired, ...authentication],
  "guessing and revoking": [...guessing, ...revocation],
  webhooks: [...webhook, ...webhookBodies],
  parsing,
  bodies,
  answers,
  "automations and their limits": automations,
  "snippets and their values": snippets,
  identifiers,
  "folders and repositories": [...folders, ...files, ...repositories],
  "plugins and static files": plugins,
  "in a browser": [...inBrowser, ...hostileNamesInBrowser],
  "outgoing requests": outgoing,
  "agent processes": [...agents, ...browserTools],
  terminals,
  "backup and restore": [...snapshots, ...backups],
  "what is not there yet": later,
  "what is left behind": evidence,
};
