import { ref } from "vue";

const waiting = ref<{ automationId: string; secret: string }>();

/** Hands a new secret from the page that made it to the page that shows it, once and without leaving a trace. */
export const secretHandover = {
  give(automationId: string, secret: string | undefined): void {
    waiting.value = secret === undefined ? undefined : { automationId, secret };
  },
  take(automationId: string): string | undefined {
    const given = waiting.value;
    waiting.value = undefined;
    return given?.automationId === automationId ? given.secret : undefined;
  },
};
