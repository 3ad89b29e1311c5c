import { computed, type ComputedRef } from "vue";
import { useRouter, type RouteLocationRaw } from "vue-router";
import { useAppContext } from "../view/appContext.ts";
import { appRoute } from "../view/appRoute.ts";
import type { Button } from "../wire.ts";
import { toRequest } from "./toRequest.ts";
import type { MenuEntry } from "./useActionMenu.ts";

/** A button of a view with what it does. */
export interface LiveButton {
  button: Button;
  /** Tells it from all other buttons of the page. */
  key: string;
  to: RouteLocationRaw | undefined;
}

/** Buttons of which the first ones stand beside each other and the others are in a menu. */
export interface LiveButtons {
  readonly shown: ComputedRef<readonly LiveButton[]>;
  readonly rest: ComputedRef<readonly LiveButton[]>;
  readonly isRestBusy: ComputedRef<boolean>;
  isBusy(button: LiveButton): boolean;
  press(button: LiveButton): void;
  entries(): MenuEntry[];
}

/** Puts as many buttons beside each other as there is room for. */
export function useButtons(options: {
  buttons: () => readonly Button[];
  /** Begins the keys of the buttons. */
  busyKey: () => string;
  inline: () => number;
}): LiveButtons {
  const { appId, actions } = useAppContext();
  const router = useRouter();

  const all = computed(() =>
    options.buttons().map((button, index) => ({
      button,
      // The same action may be offered twice, with other arguments.
      key: `${options.busyKey()}/${index} ${button.label}`,
      to: button.path === undefined ? undefined : appRoute(appId, button.path),
    })),
  );
  const rest = computed(() => all.value.slice(options.inline()));
  const isBusy = ({ key }: LiveButton) => actions.isBusy(key);

  function press({ button, key, to }: LiveButton): void {
    if (to) return void router.push(to);
    const request = toRequest(button);
    if (request) void actions.run(key, request);
  }

  return {
    shown: computed(() => all.value.slice(0, options.inline())),
    rest,
    isRestBusy: computed(() => rest.value.some(isBusy)),
    isBusy,
    press,
    entries: () =>
      rest.value.map((each) => ({
        label: each.button.label,
        icon: each.button.icon,
        isDanger: each.button.isDanger,
        isDisabled: each.button.isDisabled || isBusy(each),
        press: () => press(each),
      })),
  };
}
