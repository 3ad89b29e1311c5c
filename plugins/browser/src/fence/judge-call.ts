import type { CallRefusal } from "./call-refusal.ts";
import { judgeInput } from "./judge-input.ts";
import { BROWSER_METHODS, PAGE_METHODS } from "./methods.ts";
import type { Handling } from "./methods.ts";
import { TIERS } from "./policy.ts";
import type { Refusal, Tier } from "./policy.ts";

/** One protocol call of an agent. */
export interface ProtocolCall {
  method: string;
  params: Readonly<Record<string, unknown>>;
  /** `browser` for a call without a session. */
  level: "browser" | "page";
}

/** What a verdict depends on besides the call. */
export interface CallContext {
  tier: Tier;
  /** Judges the address of a navigation. */
  judgeUrl(url: string): Refusal;
  /** Judges a file that a page is given. */
  judgeFile(path: string): Refusal;
  /** Whether this connection was given the node for this page: Chromium assigns such ids per process, not per page. */
  isKnownNode(backendNodeId: unknown): boolean;
  /** The address of a request that this connection was notified of. */
  urlOfRequest(requestId: unknown): string | undefined;
}

/** The decision about a call. */
export type CallVerdict =
  | {
      refusal: null;
      handling: Handling;
      /** The parameters, without those that agents may not set. */
      params: Readonly<Record<string, unknown>>;
    }
  | { refusal: CallRefusal };

/** Whether a tier includes another one. */
export function hasTier(tier: Tier, needed: Tier): boolean {
  return TIERS.indexOf(tier) >= TIERS.indexOf(needed);
}

/** Judges one call. Everything that no table lists is refused, including methods of a newer Chromium. */
export function judgeCall(
  call: ProtocolCall,
  context: CallContext,
): CallVerdict {
  const { method, level } = call;
  if (!hasTier(context.tier, "read"))
    return refuse("this agent may not use the browser", "tier", {
      tier: "read",
    });
  const table = level === "browser" ? BROWSER_METHODS : PAGE_METHODS;
  const found = table.get(method);
  if (!found)
    return refuse(
      `${JSON.stringify(method.slice(0, 80))} is not among the calls that agents may make to ${level === "browser" ? "the browser" : "a page"}`,
    );
  if (!hasTier(context.tier, found.tier))
    return refuse(
      `it needs the level "${found.tier}", and this agent has "${context.tier}"`,
      "tier",
      { tier: found.tier },
    );
  const refusal = judgeNodes(call, context) ?? judgeParams(call, context);
  if (refusal) return { refusal };
  return {
    refusal: null,
    handling: found.handling,
    params: withoutForbidden(call),
  };
}

function refuse(
  reason: string,
  cause: CallRefusal["cause"] = "never",
  more: Partial<CallRefusal> = {},
): { refusal: CallRefusal } {
  return { refusal: { reason, cause, ...more } };
}

function judgeNodes(
  { params }: ProtocolCall,
  { isKnownNode }: CallContext,
): CallRefusal | undefined {
  const { backendNodeId, backendNodeIds } = params;
  const ids = [
    ...(backendNodeId === undefined ? [] : [backendNodeId]),
    ...(Array.isArray(backendNodeIds) ? (backendNodeIds as unknown[]) : []),
  ];
  return ids.every(isKnownNode)
    ? undefined
    : never("this node was not read from this page; read the page again");
}

const never = (reason: string): CallRefusal => ({ reason, cause: "never" });

type Judge = (
  params: ProtocolCall["params"],
  context: CallContext,
) => CallRefusal | undefined;

const MAX_VIEWPORT_PX = 10_000;
const MAX_FILES = 100;

const judgeOwnUrl: Judge = ({ url = "" }, context) => toSite(url, context);

/** Changing a request or reading its content needs the same permission as opening its address. */
const judgeRequest: Judge = ({ requestId }, context) => {
  const url = context.urlOfRequest(requestId);
  return url === undefined
    ? never("this request was not seen by this connection")
    : toSite(url, context);
};

/** Judges of parameters, by method. */
const JUDGES: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ["Page.navigate", judgeOwnUrl],
  ["Target.createTarget", judgeOwnUrl],
  ["Page.getResourceContent", judgeOwnUrl],
  [
    "Page.reload",
    ({ scriptToEvaluateOnLoad }) =>
      scriptToEvaluateOnLoad === undefined
        ? undefined
        : never("a page cannot be reloaded with a script"),
  ],
  [
    "Page.printToPDF",
    ({ transferMode, headerTemplate, footerTemplate }) => {
      if (transferMode !== undefined && transferMode !== "ReturnAsBase64")
        return never("streams are not given to agents");
      // They are pages of their own, which the guard does not control.
      return headerTemplate === undefined && footerTemplate === undefined
        ? undefined
        : never("headers and footers of its own are not printed");
    },
  ],
  [
    "DOM.setFileInputFiles",
    ({ files }, { judgeFile }) => {
      if (!Array.isArray(files) || files.length > MAX_FILES)
        return never(`files are a list of at most ${MAX_FILES} paths`);
      for (const file of files as unknown[]) {
        const reason =
          typeof file === "string" ? judgeFile(file) : "this is not a path";
        if (reason !== null) return never(reason);
      }
      return undefined;
    },
  ],
  [
    "Emulation.setDeviceMetricsOverride",
    ({ width, height }) =>
      Number(width) <= MAX_VIEWPORT_PX && Number(height) <= MAX_VIEWPORT_PX
        ? undefined
        : never(`a page is at most ${MAX_VIEWPORT_PX} pixels wide and high`),
  ],
  [
    "Network.getCookies",
    ({ urls }, context) =>
      Array.isArray(urls) && urls.length > 0
        ? (urls as unknown[])
            .map((url) => toSite(url, context))
            .find((refusal) => refusal !== undefined)
        : never("name the addresses whose cookies you want (urls)"),
  ],
  [
    "Network.deleteCookies",
    ({ url, domain }, context) =>
      typeof url === "string" && domain === undefined
        ? toSite(url, context)
        : never("name the address whose cookie you want to delete (url)"),
  ],
  ["Network.getResponseBody", judgeRequest],
  ["Network.getRequestPostData", judgeRequest],
  ["Fetch.fulfillRequest", judgeRequest],
  ["Fetch.continueResponse", judgeRequest],
  ["Fetch.getResponseBody", judgeRequest],
  [
    "Fetch.continueRequest",
    (params, context) => {
      const { requestId: _, ...changes } = params;
      if (Object.keys(changes).length === 0) return undefined;
      const { url } = changes;
      return (
        judgeRequest(params, context) ??
        (url === undefined ? undefined : toSite(url, context))
      );
    },
  ],
]);

function judgeParams(
  { method, params }: ProtocolCall,
  context: CallContext,
): CallRefusal | undefined {
  if (method.startsWith("Input."))
    return hasTier(context.tier, "full")
      ? undefined
      : judgeInput(method, params);
  return JUDGES.get(method)?.(params, context);
}

function toSite(
  url: unknown,
  { judgeUrl }: CallContext,
): CallRefusal | undefined {
  if (typeof url !== "string") return never("this is not a URL");
  const reason = judgeUrl(url);
  return reason === null ? undefined : { reason, cause: "site", url };
}

/** Parameters that drivers set and that are removed for agents, by method. */
const FORBIDDEN_PARAMS: ReadonlyMap<string, readonly string[]> = new Map([
  // Would reveal the password of the proxy.
  ["Fetch.enable", ["handleAuthRequests"]],
  // A world that may read the frames and responses of all sites. Chromium itself uses the first spelling.
  ["Page.createIsolatedWorld", ["grantUniveralAccess", "grantUniversalAccess"]],
  ["Page.addScriptToEvaluateOnNewDocument", ["includeCommandLineAPI"]],
  // Can halt the whole process, including other pages.
  ["Runtime.evaluate", ["includeCommandLineAPI"]],
  ["Runtime.runScript", ["includeCommandLineAPI"]],
]);

function withoutForbidden({
  method,
  params,
}: ProtocolCall): ProtocolCall["params"] {
  const names = FORBIDDEN_PARAMS.get(method);
  if (!names?.some((name) => name in params)) return params;
  return Object.fromEntries(
    Object.entries(params).filter(([name]) => !names.includes(name)),
  );
}
