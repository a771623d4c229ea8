declare module "*.css";
declare module "*?sharedworker" {
  const worker: new (options?: { name?: string }) => SharedWorker;
  export default worker;
}
