/**
 * Words that say nothing about what a text is on.
 * @module
 */

const ENGLISH =
  `a about above after again all also am an and any are as at back be because been before being
  below between both but by came can cannot come could did do does doing don done down during each
  else ever every few first for from further get give go going gone good got had has have having he
  hello help her here hers hey hi him his how i if in into is it its just know last let like made
  make many may me mean might mine more most much must my need never new next no nor not now of off
  ok okay on once one only or other our out over own please put re really said same say see shall
  she should so some still such sure take tell than thank thanks that the their them then there
  these they thing things think this those through time to too try under until up us use very want
  was way we well were what when where which while who whom whose why will with would yeah yes yet
  you your yours d ll m s t ve today tomorrow yesterday remember remind again`;

const CHINESE =
  `的 了 是 我 你 他 她 它 们 我们 你们 他们 她们 咱们 在 有 和 跟 与 及 或 或者 就 都 也 还 不 没 没有 很 这 那
  这个 那个 这些 那些 这里 那里 这样 那样 什么 怎么 怎样 怎么样 为什么 哪 哪个 哪些 哪里 哪儿 谁 几 多少 吗 呢 吧 啊
  呀 哦 嗯 哈 好 好的 好吧 可以 行 对 对了 是的 不是 谢谢 感谢 你好 您好 您 请 请问 帮 帮我 帮忙 一下 一个 一些 个 把
  被 给 让 对于 关于 从 到 向 往 由 于 为 为了 以 而 而且 但 但是 可是 因为 所以 如果 虽然 然后 现在 今天 明天 昨天
  上次 之前 以前 之后 以后 刚才 记得 说 说的 说过 告诉 知道 想 要 会 能 能不能 可不可以 是不是 有没有 看 看看 看一下
  来 去 做 用 得 地 着 过 再 又 才 只 最 更 太 真 真的 的话 时候 东西 事情 问题 哪天 天 叫 吃 问 一 两 上 下 里`;

const STOP_WORDS: ReadonlySet<string> = new Set(`${ENGLISH} ${CHINESE}`.split(/\s+/));

/** Whether a word, in small letters, is one of them, or nothing but one of them repeated (`嗯嗯`). */
export function isStopWord(word: string): boolean {
  if (STOP_WORDS.has(word)) return true;
  const [first = "", ...others] = word;
  return STOP_WORDS.has(first) && others.every((character) => character === first);
}
