const plugins: Readonly<Record<string, string>> = {
  agents: "Agents and conversations",
  apps: "Apps",
  automations: "Automations",
  backup: "Backup",
  browser: "Browser records",
  inbox: "Inbox",
  kernel: "Gantry's own settings",
  snippets: "Snippets",
  terminals: "Terminals",
  usage: "Spending",
};

const kinds: Readonly<Record<string, string>> = {
  "agents:agent": "Agents",
  "agents:notes": "Notes on agents",
  "agents:removal": "Deletions under way",
  "agents:task": "Messages that wait",
  "agents:trust": "Trusted folders",
  "agents:turn": "Turns and their cost",
  "agents:workspace": "Folders",
  "automations:automation": "Automations and schedules",
  "automations:call": "Calls from outside",
  "automations:payload": "What calls brought along",
  "automations:run": "Runs",
  "automations:state": "Times of runs",
  "browser:annotation": "Annotations",
  "browser:audit": "Calls of agents",
  "browser:download": "Downloads",
  "browser:permission": "Permissions of sites",
  "browser:picture": "Pictures of annotations",
  "browser:policy": "What agents may do",
  "browser:visit": "History",
  "inbox:item": "Items",
  "snippets:snippet": "Snippets",
  "terminals:terminal": "Terminals",
};

/** What people call a part of a snapshot: `snippets`, or `automations:run`. Those of unknown plugins go by their own name. */
export function partInWords(name: string): string {
  if (Object.hasOwn(kinds, name)) return kinds[name]!;
  if (Object.hasOwn(plugins, name)) return plugins[name]!;
  const words = name.slice(name.indexOf(":") + 1).replaceAll(/[-_]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The same where its plugin does not stand beside it: `Automations: runs`. */
export function partInFull(name: string): string {
  const plugin = partInWords(pluginOf(name));
  const kind = partInWords(name);
  return kind === plugin ? plugin : `${plugin}: ${kind.toLowerCase()}`;
}

/** The plugin that a part belongs to. */
export const pluginOf = (name: string): string => name.split(":", 1)[0] ?? "";
