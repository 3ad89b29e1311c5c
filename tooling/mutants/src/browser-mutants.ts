import type { Mutant } from "./mutant.ts";

const SITES = ["test/fence/judge-site.test.ts"];
const CONNECTIONS = [
  "test/egress/connection-judge.test.ts",
  "test/egress/open-egress.test.ts",
];

const rows: readonly Omit<Mutant, "folder">[] = [
  {
    name: "Browser: sites: the length of a URL",
    file: "src/fence/judge-site.ts",
    find: 'if (text.length > MAX_URL_LENGTH) return "this URL is too long";',
    by: "",
    tests: SITES,
  },
  {
    name: "Browser: sites: schemes",
    file: "src/fence/judge-site.ts",
    find: 'url.protocol !== "http:" && url.protocol !== "https:"',
    by: "false",
    tests: SITES,
  },
  {
    name: "Browser: sites: a user name in a URL",
    file: "src/fence/judge-site.ts",
    find: 'url.username !== "" || url.password !== ""',
    by: "false",
    tests: SITES,
  },
  {
    name: "Browser: sites: Gantry's name",
    file: "src/fence/judge-site.ts",
    find: "if (gantry.names.has(host)) return GANTRY_ITSELF;",
    by: "",
    tests: SITES,
  },
  {
    name: "Browser: sites: Gantry's port",
    file: "src/fence/judge-site.ts",
    find: "if (gantry.ports.has(port)) return GANTRY_ITSELF;",
    by: "",
    tests: SITES,
  },
  {
    name: "Browser: sites: this machine",
    file: "src/fence/judge-site.ts",
    find: 'if (isThisMachine(host)) return judgeLocal("localhost", port, sites, gantry);',
    by: "",
    tests: SITES,
  },
  {
    name: "Browser: sites: ports of this machine",
    file: "src/fence/judge-site.ts",
    find: "isNamedWithPort(sites, host, port)",
    by: "isNamed(sites, host, port)",
    tests: SITES,
  },
  {
    name: "Browser: sites: private networks",
    file: "src/fence/judge-site.ts",
    find: 'kind !== undefined && kind !== "public"',
    by: 'kind === "metadata"',
    tests: SITES,
  },
  {
    name: "Browser: sites: metadata",
    file: "src/fence/judge-site.ts",
    find: 'if (kind === "metadata") return `${address} is a link-local address`;',
    by: "",
    tests: SITES,
  },
  {
    name: "Browser: sites: the list",
    file: "src/fence/judge-site.ts",
    find: "isListed(sites, host, port)",
    by: "true",
    tests: SITES,
  },
  {
    name: "Browser: sites: all addresses of a name",
    file: "src/fence/judge-site.ts",
    find: "for (const found of addresses) {",
    by: "for (const found of addresses.slice(0, 1)) {",
    tests: SITES,
  },
  {
    name: "Browser: sites: a name without an address",
    file: "src/fence/judge-site.ts",
    find: "addresses.length === 0 ? `${host} has no address` : null",
    by: "null",
    tests: SITES,
  },
  {
    name: "Browser: sites: names by pattern are not named themselves",
    file: "src/fence/site-list.ts",
    find: 'sites.filter((site) => !site.startsWith("*")),',
    by: "sites,",
    tests: SITES,
  },
  {
    name: "Browser: sites: what a pattern ends with",
    file: "src/fence/site-list.ts",
    find: "host.endsWith(entry.name.slice(1))",
    by: "host.endsWith(entry.name.slice(2))",
    tests: SITES,
  },
  {
    name: "Browser: sites: ports",
    file: "src/fence/site-list.ts",
    find: "if (entry.port !== undefined && entry.port !== port) return false;",
    by: "",
    tests: SITES,
  },
  {
    name: "Browser: sites: a trailing dot",
    file: "src/fence/site-list.ts",
    find: '    .replace(/\\.$/, "");',
    by: ";",
    tests: SITES,
  },
  {
    name: "Browser: connections: their host",
    file: "src/egress/open-egress.ts",
    find: "let refusal: Refusal = judge.judgeHost(host, port);",
    by: "let refusal: Refusal = null as Refusal;",
    tests: CONNECTIONS,
  },
  {
    name: "Browser: connections: their addresses",
    file: "src/egress/open-egress.ts",
    find: "(refusal = judge.judgeAddresses(host, port, addresses))",
    by: "(void addresses, (refusal = null))",
    tests: CONNECTIONS,
  },
  {
    name: "Browser: connections: names that lead elsewhere later",
    file: "src/egress/connection-judge.ts",
    find: "else if (this.#publicNames.has(host))",
    by: "else if (false)",
    tests: CONNECTIONS,
  },
  {
    name: "Browser: connections: Chromium's own",
    file: "src/egress/connection-judge.ts",
    find: "isBackgroundName(host, owner)",
    by: "false",
    tests: CONNECTIONS,
  },
  {
    name: "Browser: connections: a sign-in for agents",
    file: "src/egress/background-names.ts",
    find: '(owner === "agent" && host === SIGN_IN)',
    by: "false",
    tests: CONNECTIONS,
  },
  {
    name: "Browser: connections: sites that were taken back",
    file: "src/egress/open-egress.ts",
    find: "          client.destroy();\n    },",
    by: "          void client;\n    },",
    tests: CONNECTIONS,
  },
];

/** The protections of the work browser. */
export const browserMutants: readonly Mutant[] = rows.map((row) => ({
  ...row,
  folder: "plugins/browser",
}));
