import type { LocationQueryRaw } from "vue-router";

/** Where a page of an app is in Gantry. */
export function appRoute(
  id: string,
  path = "",
): { path: string; query: LocationQueryRaw } {
  return {
    path: `/apps/${encodeURIComponent(id)}`,
    query: path === "" ? {} : { path },
  };
}

/** The same as an address. */
export function appAddress(id: string, path = ""): string {
  const query = path === "" ? "" : `?${new URLSearchParams({ path })}`;
  return `/apps/${encodeURIComponent(id)}${query}`;
}

/** Address of an operation of an app. */
export function appApi(id: string, operation: "view" | "action"): string {
  return `/api/apps/${encodeURIComponent(id)}/${operation}`;
}
