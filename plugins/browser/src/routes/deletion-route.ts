import { defineRoute } from "@gantry/plugin";
import type { IdentifierParameter, RouteDefinition } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import * as z from "zod";

/** The answer of an operation that removes several records. */
export const deletedAnswer = z.object({ deleted: z.int() });

/** Creates a route that removes one record. */
export function createDeletionRoute(route: {
  path: `${string}/{id}`;
  summary: string;
  description?: string;
  prefix: string;
  missing: IdentifierParameter["missing"];
  missingCode: string;
  remove(id: string, revision?: number): Promise<boolean>;
}): RouteDefinition {
  const { path, summary, description, prefix, missing } = route;
  return defineRoute({
    ...{ method: "DELETE", path, summary, description, access: "session" },
    params: { id: { prefix, missing } },
    body: z.strictObject({}),
    returns: okAnswer,
    errors: [route.missingCode],
    async handle({ params: { id }, ifMatch }) {
      if (!(await route.remove(id, ifMatch))) throw missing({ id });
      return { ok: true as const };
    },
  });
}
