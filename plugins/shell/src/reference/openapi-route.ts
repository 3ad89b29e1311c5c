import { defineRoute } from "@gantry/plugin";
import type {
  DaemonOperation,
  PluginContext,
  RouteDefinition,
} from "@gantry/plugin";
import * as z from "zod";
import { renderOpenApi } from "./render-openapi.ts";

/** Serves the document of all operations, which is made again when one was added or removed. */
export function createOpenApiRoute({
  daemon,
  wholeHome: { version },
}: PluginContext): RouteDefinition {
  let operations: readonly DaemonOperation[] | undefined;
  let document: object = {};
  return defineRoute({
    method: "GET",
    path: "/api/openapi.json",
    summary: "This document",
    access: "session",
    returns: z.looseObject({ openapi: z.literal("3.1.0") }),
    handle() {
      const now = daemon.operations();
      if (now !== operations) document = renderOpenApi(now, version);
      operations = now;
      return document as { openapi: "3.1.0" };
    },
  });
}
