import { shallowRef, type Ref } from "vue";

/** A line of the menu. */
export interface MenuEntry {
  label: string;
  icon: string | undefined;
  isDanger: boolean;
  isDisabled: boolean;
  press(): void;
}

/** The menu as it is open. */
export interface OpenMenu {
  anchor: HTMLElement;
  entries: readonly MenuEntry[];
}

/** The menu of a page, which its many menu buttons share: one for each row would take long to draw. */
export interface ActionMenu {
  readonly shown: Readonly<Ref<OpenMenu | undefined>>;
  open(menu: OpenMenu): void;
  close(): void;
}

export function useActionMenu(): ActionMenu {
  const shown = shallowRef<OpenMenu>();
  return {
    shown,
    open: (menu) => (shown.value = menu),
    close: () => (shown.value = undefined),
  };
}
