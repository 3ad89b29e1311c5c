import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createApiClient } from "../../support/api-client.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { readDeclaredCodes } from "../../support/declared-codes.ts";
import type {
  CodesDocument,
  DeclaredCodes,
} from "../../support/declared-codes.ts";
import { readToken, startDaemon } from "../../support/daemon.ts";
import type { Daemon } from "../../support/daemon.ts";
import { writeQuarantinedSnippets } from "../../support/quarantined-snippets.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import type {
  RawAnswer,
  RawRequest,
} from "../../../kernel/core/test/support/raw-http.ts";
import { ask } from "./ask.ts";
import { pairCookie } from "./pair.ts";
import { findTargets, readRoutes } from "./routes.ts";
import type { Route } from "./routes.ts";
import { createStateProbe } from "./state.ts";
import type { StateProbe } from "./state.ts";
import { fillWorld } from "./victims.ts";
import type { Victims } from "./victims.ts";

const TARGET = fileURLToPath(new URL("../target", import.meta.url));

/** A name under which webhooks are taken and nothing else. */
export const HOOK_HOST = "hooks.example.org";

/** Settings that once were taken from here by the libraries below, and must not be. */
const TEMPTING = { NODE_ENV: "production", HOST: "0.0.0.0", PORT: "1" };

/** A running daemon with something to lose, and all that an attacker may know or hold. */
export interface World {
  /** Where everything is that belongs to the test; the home is `home` in it. */
  readonly folder: string;
  readonly daemon: Daemon;
  readonly port: number;
  /** Its own name with its port. */
  readonly host: string;
  readonly origin: string;
  /** Cookie header of a paired browser. A test that ends its session sets another one. */
  cookie: string;
  readonly token: string;
  /** The owner's own way in. */
  readonly api: ApiClient;
  readonly routes: readonly Route[];
  /** Codes that its operations declare. */
  readonly codes: DeclaredCodes;
  /** The address of an operation with ids of what is really there. */
  addressOf(route: Pick<Route, "path">): string;
  readonly victims: Victims;
  readonly state: StateProbe;
  /** Everything that must never be found in a file, a log or an answer, by what it is. */
  readonly secrets: Map<string, string>;
  /** Sends one request, exactly as said, on a connection of its own. */
  ask(request: RawRequest | string | Uint8Array): Promise<RawAnswer>;
  /** Stops the daemon and starts it again on the same home, at another port. */
  restart(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts the built daemon in a folder of its own and gives it something to lose. */
export async function createWorld(name: string): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await createTemporaryFolder(name));
  const home = join(folder, "home");
  await furnishHome(home, folder);
  await writeQuarantinedSnippets(home, 1);
  const start = () => startDaemon(home, { env: TEMPTING });
  const daemon = stack.use(await start());
  const api = await createApiClient(daemon);
  const secrets = new Map<string, string>();
  const cookie = await pairCookie({ daemon, api }, "Main browser", secrets);
  const victims = await fillWorld({ daemon, api, folder, secrets });
  // What is made when it is first asked for is made now, so that it is no growth later.
  await (await fetch(`${daemon.base}/ui/utilities.css`)).arrayBuffer();
  const routes = await readRoutes(api);
  const targets = await findTargets(api, routes);
  for (const part of ["git", "gitstatus", "files", "delivery"])
    await api.call("GET", `/api/agents/${victims.agentId}/${part}`);
  const state = await createStateProbe(daemon, folder, routes);
  stack.defer(() => state.close());
  const world: World = {
    folder,
    ...addressesOf(daemon),
    cookie,
    token: await readToken(home),
    api,
    routes,
    codes: codesOf(routes),
    addressOf: ({ path }) => targets.get(path) ?? path,
    victims,
    state,
    secrets,
    ask: (request) => ask(world.port, request),
    async restart() {
      await world.daemon.stop();
      Object.assign(world, addressesOf(resources.use(await start())));
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
  const resources = stack.move();
  return world;
}

function codesOf(routes: readonly Route[]): DeclaredCodes {
  const paths: CodesDocument["paths"] = {};
  for (const { method, path, codes } of routes)
    (paths[path] ??= {})[method.toLowerCase()] = {
      "x-error-codes": [...codes],
    };
  return readDeclaredCodes({ paths });
}

function addressesOf(daemon: Daemon) {
  const host = `gantry.localhost:${daemon.port}`;
  return { daemon, port: daemon.port, host, origin: `http://${host}` };
}

async function furnishHome(home: string, folder: string): Promise<void> {
  const plugin = join(home, "plugins", "attack-target");
  await mkdir(plugin, { recursive: true, mode: 0o700 });
  await cp(TARGET, plugin, { recursive: true });
  // A CLI that must never be started, since the folder that it is for is not trusted.
  const cli = join(folder, "hostile-cli");
  await writeFile(cli, `#!/bin/sh\ntouch ${folder}/canary-cli\n`, {
    mode: 0o755,
  });
  const config = {
    hookHosts: [HOOK_HOST],
    settings: {
      agents: {
        clis: { hostile: { driver: "acp", command: cli } },
        defaultCli: "practice",
      },
    },
  };
  await writeFile(join(home, "config.json"), JSON.stringify(config), {
    mode: 0o600,
  });
}
