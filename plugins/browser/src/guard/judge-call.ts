import type { Refusal } from "../fence/rules.ts";
import { TIERS } from "../records/schemas.ts";
import type { Tier } from "../records/schemas.ts";
import { judgeInput } from "./judge-input.ts";
import { FORBIDDEN_PARAMS, PARAMS_JUDGES } from "./judge-params.ts";
import type { Params, ParamsContext } from "./judge-params.ts";
import { BROWSER_METHODS, PAGE_METHODS } from "./methods.ts";
import type { Handling } from "./methods.ts";

/** One protocol call of an agent. */
export interface ProtocolCall {
  method: string;
  params: Params;
  /** `browser` for a call without a session. */
  level: "browser" | "page";
}

/** What a verdict depends on besides the call. */
export interface CallContext extends ParamsContext {
  tier: Tier;
  /** Whether this session was given the node: Chromium numbers nodes per process, which pages may share. */
  isKnownNode(backendNodeId: unknown): boolean;
}

/** The decision about a call. */
export type CallVerdict =
  | {
      refusal: null;
      handling: Handling;
      /** The parameters, without those that agents may not set. */
      params: Params;
    }
  | { refusal: string };

/** Whether a tier includes another one. */
export function hasTier(tier: Tier, needed: Tier): boolean {
  return TIERS.indexOf(tier) >= TIERS.indexOf(needed);
}

/** Judges one call. Everything that no table lists is refused, including methods of a newer Chromium. */
export function judgeCall(
  call: ProtocolCall,
  context: CallContext,
): CallVerdict {
  const { method, params, level } = call;
  const { tier } = context;
  if (!hasTier(tier, "read"))
    return { refusal: "this agent may not use the browser" };
  const table = level === "browser" ? BROWSER_METHODS : PAGE_METHODS;
  const found = table.get(method);
  if (!found)
    return {
      refusal: `this is not among the calls that agents may make to ${level === "browser" ? "the browser" : "a page"}`,
    };
  if (!hasTier(tier, found.tier))
    return {
      refusal: `it needs the level "${found.tier}", and this agent has "${tier}"`,
    };
  const refusal =
    judgeNodes(params, context) ??
    (hasTier(tier, "full") ? null : judgeInput(method, params)) ??
    PARAMS_JUDGES.get(method)?.(params, context) ??
    null;
  if (refusal !== null) return { refusal };
  return {
    ...{ refusal, handling: found.handling },
    params: withoutForbidden(method, params),
  };
}

function judgeNodes(
  { backendNodeId, backendNodeIds }: Params,
  { isKnownNode }: CallContext,
): Refusal {
  const ids = [
    ...(backendNodeId === undefined ? [] : [backendNodeId]),
    ...(Array.isArray(backendNodeIds) ? (backendNodeIds as unknown[]) : []),
  ];
  return ids.every(isKnownNode)
    ? null
    : "this node was not read from this page; read the page again";
}

function withoutForbidden(method: string, params: Params): Params {
  const names = FORBIDDEN_PARAMS.get(method);
  if (!names?.some((name) => name in params)) return params;
  return Object.fromEntries(
    Object.entries(params).filter(([name]) => !names.includes(name)),
  );
}
