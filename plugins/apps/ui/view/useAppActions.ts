import {
  api,
  createKey,
  isAbort,
  toApiError,
  useConfirm,
  useToast,
} from "@gantry/ui-kit";
import { onScopeDispose, shallowReactive } from "vue";
import { useRouter } from "vue-router";
import type { ActionResult, View } from "../wire.ts";
import { appApi, appRoute } from "./appRoute.ts";

/** What is asked of an app. */
export interface AppRequest {
  action: string;
  args: Readonly<Record<string, unknown>>;
  /** What the button says. */
  label: string;
  /** What will happen: asked before. */
  confirm?: string | undefined;
  isDanger?: boolean | undefined;
}

/** Asks an app for actions, and shows what comes of them. */
export interface AppActions {
  /** Tells whether an action is under way, by the key that it was run with. */
  isBusy(key: string): boolean;
  /** Asks for confirmation first, if it must be, and says what went wrong. Tells whether it was done. Never rejects. */
  run(key: string, request: AppRequest): Promise<boolean>;
  /** Asks for confirmation first, if it must be. */
  confirm(request: AppRequest): Promise<boolean>;
  /** Does it. Rejects with what went wrong, for a form that says so itself. */
  perform(request: AppRequest): Promise<void>;
}

/** The page that actions are asked from. */
export interface ActionPage {
  appId: string;
  path: string;
  replace(view: View): void;
  refresh(): Promise<void>;
}

/** Makes the actions of a page. Their results are still shown after it was left, but open no other page. */
export function useAppActions(page: ActionPage): AppActions {
  const toasts = useToast();
  const ask = useConfirm();
  const router = useRouter();
  const busy = shallowReactive(new Set<string>());
  const shownFailures = new Set<string>();
  let isLeft = false;
  onScopeDispose(() => {
    isLeft = true;
    // Their "Try again" belongs to this page.
    for (const id of shownFailures) toasts.hide(id);
  });

  async function confirm(request: AppRequest): Promise<boolean> {
    if (request.confirm === undefined) return true;
    return ask({
      title: `${request.label}?`,
      body: request.confirm,
      action: request.label,
      tone: request.isDanger ? "failed" : "neutral",
    });
  }

  async function apply({ toast, view, path }: ActionResult): Promise<void> {
    if (toast) toasts.show({ title: toast.text, tone: toast.tone });
    if (isLeft) return;
    if (path !== undefined && path !== page.path)
      return void (await router.push(appRoute(page.appId, path)));
    if (view) page.replace(view);
    else await page.refresh();
  }

  async function perform({ action, args }: AppRequest): Promise<void> {
    const result = await api.post<ActionResult>(appApi(page.appId, "action"), {
      body: { action, path: page.path, args },
      idempotencyKey: createKey(),
    });
    await apply(result);
  }

  function sayFailure(key: string, request: AppRequest, thrown: unknown): void {
    if (isAbort(thrown)) return;
    const title = `"${request.label}" did not work`;
    if (isLeft) return toasts.failure(title, thrown);
    const id = `app-action-${page.appId}-${key}`;
    shownFailures.add(id);
    toasts.show({
      id,
      title,
      detail: toApiError(thrown).detail,
      tone: "failed",
      durationMs: 0,
      actions: [{ label: "Try again", run: () => void attempt(key, request) }],
    });
  }

  async function attempt(key: string, request: AppRequest): Promise<boolean> {
    if (busy.has(key)) return false;
    busy.add(key);
    try {
      await perform(request);
      toasts.hide(`app-action-${page.appId}-${key}`);
      return true;
    } catch (thrown) {
      sayFailure(key, request, thrown);
      return false;
    } finally {
      busy.delete(key);
    }
  }

  return {
    isBusy: (key) => busy.has(key),
    confirm,
    perform,
    async run(key, request) {
      if (busy.has(key) || !(await confirm(request)) || isLeft) return false;
      return attempt(key, request);
    },
  };
}
