import type { RouteDefinition } from "@gantry/plugin";

/**
 * Lets calls of a route wait until all automations are loaded, since until then no run may begin and no webhook is known.
 *
 * @param loading What to wait for; `undefined` once there is nothing to wait for.
 */
export function afterLoading(
  route: RouteDefinition,
  loading: () => Promise<void> | undefined,
): RouteDefinition {
  const { handle, authorize } = route;
  return {
    ...route,
    handle(request) {
      const pending = loading();
      return pending ? pending.then(() => handle(request)) : handle(request);
    },
    ...(authorize && {
      authorize(head) {
        const pending = loading();
        return pending ? pending.then(() => authorize(head)) : authorize(head);
      },
    }),
  };
}
