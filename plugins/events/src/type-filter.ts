import * as z from "zod";

/** Whether events of a type are wanted. */
export type TypeFilter = (type: string) => boolean;

/** The query parameter that narrows a list or stream to types and areas. */
export const typesQuery = z
  .string()
  .max(1024)
  .regex(
    /^[a-z0-9.*-]+(,[a-z0-9.*-]+)*$/,
    "is a list such as agents.*,automations.run-finished",
  )
  .optional();

/** Creates the filter for a list such as `agents.*,automations.run-finished`; without a list all types match. */
export function createTypeFilter(list: string | undefined): TypeFilter {
  if (list === undefined) return () => true;
  const exact = new Set<string>();
  const prefixes: string[] = [];
  for (const item of list.split(",")) {
    if (item.endsWith("*")) prefixes.push(item.slice(0, -1));
    else exact.add(item);
  }
  return (type) =>
    exact.has(type) || prefixes.some((prefix) => type.startsWith(prefix));
}
