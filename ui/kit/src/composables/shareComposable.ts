import { effectScope, onScopeDispose, type EffectScope } from "vue";

/**
 * Makes a composable of which all users share one result, such as a listing that the navigation, the home page and the
 * palette ask for. It is made for the first of them and ends with the last.
 */
export function shareComposable<Result>(create: () => Result): () => Result {
  let users = 0;
  let scope: EffectScope | undefined;
  let shared: { result: Result } | undefined;

  return () => {
    if (!shared) {
      scope = effectScope(true);
      // The scope was made in this very line, so it is active and gives the result.
      shared = { result: scope.run(create) as Result };
    }
    users += 1;
    onScopeDispose(() => {
      users -= 1;
      if (users > 0) return;
      scope?.stop();
      shared = undefined;
    });
    return shared.result;
  };
}
