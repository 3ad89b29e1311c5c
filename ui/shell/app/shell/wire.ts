/** A session as `GET /api/auth/sessions` lists it. */
export interface SessionInfo {
  id: string;
  kind: "browser" | "token";
  device: string;
  address: string;
  /** `null` for what is no stored session: the install token, a browser that needs no code. */
  createdAt: string | null;
  lastSeenAt: string | null;
  expiresAt: string | null;
  current: boolean;
  online: boolean;
}

/** Who is asked to pair: everybody, or nobody on this machine. */
export type AuthMode = "all" | "loopback";

/** Answer of `GET /api/auth/session`. */
export interface SessionAnswer {
  mode: AuthMode;
  kind: "browser" | "token";
  session: SessionInfo;
}

/** Answer of `POST /api/auth/pairings`. */
export interface PairingAnswer {
  id: string;
  code: string;
  url: string;
  qrSvg: string;
  expiresAt: string;
}

/** The states of a plugin. */
export type PluginState =
  "disabled" | "waiting" | "starting" | "active" | "stopping" | "failed";

/** A plugin as `GET /api/plugins` lists it. */
export interface PluginInfo {
  id: string;
  summary: string;
  version: string;
  state: PluginState;
  /** Why it is not active. */
  reason: string | null;
  /** `builtin` came with Gantry, `home` was added by the user. */
  origin: "builtin" | "home";
  ui: { entry: string; css: string | null } | null;
}

/** Answer of `GET /api/system`. */
export interface SystemInfo {
  name: string;
  version: string;
  node: string;
  platform: string;
  home: string;
  startedAt: string;
  url: string;
  canonicalHost: string;
}
