import {
  api,
  createKey,
  useConfirm,
  useToast,
  type CommandContext,
} from "@gantry/ui-kit";
import { appApi, appRoute } from "../view/appRoute.ts";
import type { ActionResult, Button, ListedApp } from "../wire.ts";

/** Does an action of an app's first page from anywhere. The app is opened if it gives something to look at. */
export async function runAppAction(
  app: ListedApp,
  { label, action, args, confirm, isDanger }: Button,
  { router }: CommandContext,
): Promise<void> {
  const ask = useConfirm();
  const toasts = useToast();
  if (
    confirm !== undefined &&
    !(await ask({
      title: `${label}?`,
      body: `${app.name}: ${confirm}`,
      action: label,
      tone: isDanger ? "failed" : "neutral",
    }))
  )
    return;
  try {
    const { toast, view, path } = await api.post<ActionResult>(
      appApi(app.id, "action"),
      { body: { action, path: "", args }, idempotencyKey: createKey() },
    );
    if (toast) toasts.show({ title: toast.text, tone: toast.tone });
    if (view || path !== undefined || !toast)
      await router.push(appRoute(app.id, path));
  } catch (thrown) {
    toasts.failure(`${app.name}: "${label}" did not work`, thrown);
  }
}
