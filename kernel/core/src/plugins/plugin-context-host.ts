import type {
  Clock,
  ContentDefinition,
  DaemonView,
  Disposer,
  Log,
  OutboundFetch,
  WholeHome,
} from "@gantry/plugin";
import type { Audit } from "@gantry/audit/audit";
import type { App } from "@gantry/http/app";
import type { Connections } from "@gantry/http/connections";
import type { RouteOwner } from "@gantry/http/route-table";
import type { SocketServer } from "@gantry/http/sockets";
import type { StoreHost } from "@gantry/store/collection-host";
import type { EventBus } from "@gantry/store/events/event-bus";
import type { EventLog as StoredEvents } from "@gantry/store/events/event-log";
import type { GitViews } from "@gantry/system/git/git-views";
import type { Home } from "@gantry/system/home/home";
import type { OutboundConnect } from "@gantry/system/outbound/outbound-connect";
import type { RunHost } from "@gantry/system/processes/run";
import type { WholeHomeOwner } from "@gantry/whole-home/whole-home";
import type { PluginChecks } from "./plugin-checks.ts";
import type { ServiceRegistry } from "./service-registry.ts";
import type { StartPass } from "./start-pass.ts";

/** The parts of the kernel that plugins reach through their context. */
export interface PluginContextHost {
  app: App;
  addContent(definition: ContentDefinition, owner: RouteOwner): Disposer;
  sockets: SocketServer;
  connections: Connections;
  bus: EventBus;
  eventLog: StoredEvents;
  clock: Clock;
  audit: Audit;
  services: ServiceRegistry;
  startPass: StartPass;
  checks: PluginChecks;
  store: Pick<StoreHost, "core" | "quarantine" | "clock">;
  run: RunHost;
  gitViews: GitViews;
  outboundFetch: OutboundFetch;
  outboundConnect: OutboundConnect;
  daemon: DaemonView;
  home: Home;
  wholeHome(owner: WholeHomeOwner): WholeHome;
  /** Origin of the pages for users. */
  origin: string;
  /** Origin of the daemon for programs on this machine. */
  localOrigin: string;
  logOf(plugin: string): Log;
}
