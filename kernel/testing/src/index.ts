export type { EventRecorder } from "./event-recorder.ts";
export { createFakeClock, settle } from "./fake-clock.ts";
export type { FakeClock } from "./fake-clock.ts";
export { provideFake } from "./fake-provider.ts";
export { readEventStream } from "./stream-reader.ts";
export type { ReadMessage, StreamReader } from "./stream-reader.ts";
export type { TestAnswer, TestClient, TestRequest } from "./test-client.ts";
export { startTestKernel } from "./test-kernel.ts";
export type { TestKernel, TestKernelOptions } from "./test-kernel.ts";
