import type { DaemonOperation } from "@gantry/plugin";
import { describeInput } from "./json-schema.ts";
import type { RouteRecord, RouteTable } from "./route-table.ts";

/** What the kernel can answer at every operation, before or while its handler runs. */
const ALWAYS = [
  "HOST_MISSING",
  "HOST_REFUSED",
  "HTTP_BAD_REQUEST",
  "HTTP_HEADERS_TOO_LARGE",
  "HTTP_TIMEOUT",
  "HTTP_URI_TOO_LONG",
  "IF_MATCH_INVALID",
  "INPUT_INVALID",
  "KERNEL_FAULT",
  "ORIGIN_REFUSED",
  "PLUGIN_STOPPED",
  "PLUGIN_UNAVAILABLE",
  "RECORD_TOO_NEW",
  "SITE_REFUSED",
  "STORAGE_FULL",
  "STORAGE_UNAVAILABLE",
];
const OF_BYTES = ["BODY_MEDIA_TYPE", "BODY_TOO_LARGE"];
const OF_JSON = [
  ...OF_BYTES,
  "BODY_FORBIDDEN_KEY",
  "BODY_NOT_JSON",
  "BODY_TOO_COMPLEX",
];
const OF_IDEMPOTENCY = [
  "IDEMPOTENCY_INTERRUPTED",
  "IDEMPOTENCY_KEY_INVALID",
  "IDEMPOTENCY_KEY_REUSED",
];

/**
 * All codes that an operation can answer: those that its route declares, and those of the kernel for a route of its
 * kind. An answer with any other code is a fault of the declaration.
 */
export function errorCodesOf({ definition }: RouteRecord): string[] {
  const { method, access, body, query, idempotent, errors = [] } = definition;
  const { properties = {} } = query ? describeInput(query) : {};
  const hasCursor = "cursor" in (properties as object);
  return [
    ...new Set([
      ...errors,
      ...ALWAYS,
      ...(access === "session" ? ["AUTH_NOT_PAIRED"] : []),
      ...(method === "GET" ? ["BODY_NOT_EXPECTED"] : []),
      ...(method === "GET" ? [] : body === "bytes" ? OF_BYTES : OF_JSON),
      ...(method === "PATCH" || method === "DELETE" ? ["STALE_REVISION"] : []),
      ...(idempotent ? OF_IDEMPOTENCY : []),
      ...(hasCursor ? ["BAD_CURSOR"] : []),
    ]),
  ].sort();
}

/** Gives all operations of a table as plugins see them, the same list until one is added or removed. */
export function createOperationList(
  table: RouteTable,
): () => readonly DaemonOperation[] {
  let version: number | undefined;
  let operations: readonly DaemonOperation[] = [];
  return () => {
    if (version !== table.version) operations = table.routes().map(describe);
    version = table.version;
    return operations;
  };
}

function describe(record: RouteRecord): DaemonOperation {
  // None of its code: who calls an operation goes through the gate.
  const { method, path, summary, description, access, errors } =
    record.definition;
  const { query, body, bodyFormat, returns } = record.definition;
  const { plugin, isSystem = false } = record.owner;
  return {
    ...{ method, path, summary, description, access, errors },
    ...{ query, body, bodyFormat, returns, plugin, isSystem },
    isPublic: record.isPublic ?? false,
    codes: errorCodesOf(record),
  };
}
