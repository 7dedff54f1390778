//! Cues of Portuguese.

use super::CueKind::{General, Local, Orders, Requests, Stops};
use super::{Cue, CueWords, LanguageMark, cue};
use crate::rules::extraction::Reason::{Disagreement, OneOff, Opinion, Praise, Status};

pub(super) static WORDS: CueWords = CueWords {
    code: "pt",
    verbs: "",
    told_by: LanguageMark::Words(
        "o os as uma é em para com por favor que não nao se este esta projeto neste nesse sempre nunca do da no na dos das ao e de use evite aqui todos todas todo toda cada deve devem você muito está mais quando melhor nosso usamos faltou essa esse isso gente funções código pra prefira capture",
    ),
    leaders: r"^(?:(?:nit|nota|lembrete|detalhe|importante|comentário geral|sugestão|obs|ps)\s*[:,]+\s*|(?:aliás|além disso|também|e|mas|sim|não|ok|obrigado|obrigada|oi|olá)[,:]\s+|(?:por favor|por gentileza|favor)[, ]+)",
    clauses: r"[,(:]\s*(?:porque|pois|já que|e|mas)?\s*((?:(?:sempre|nunca|não) \S+|usamos|a gente (?:sempre|nunca|não|usa|evita)|neste projeto|por convenção|evite)\b)|\s(?:porque|pois|já que)\s+((?:sempre|nunca|a gente|não usamos|neste projeto)\b)",
    takes_back: r"^(?:esquece|deixa pra lá|deixa quieto|erro meu|me enganei|retiro)\b",
    cues: CUES,
};

static CUES: &[Cue] = &[
    cue("disagrees", Stops(Disagreement), r"\b(?:não concordo|discordo|não acho|não acredito|não vejo|não precisamos|não é necessário|não faz sentido|exagero|não estou convencid[oa]|desde quando)\b"),
    cue("prefers for oneself", Stops(Opinion), r"\b(?:pessoalmente|eu (?:prefiro|preferiria|usaria|faria|colocaria|costumo|sempre|nunca|acho)|questão de gosto|na minha opinião|talvez|seria (?:bom|melhor|legal)|poderíamos|poderia|opcional|como preferir|acho que|fica a seu critério)\b"),
    cue("praises", Stops(Praise), r"^(?:muito )?(?:bom|boa|bem|legal|ótimo|ótima|excelente|perfeito|obrigad[oa]|parabéns|adorei|gostei|show|massa|lgtm|top)\b"),
    cue("tells what was done", Stops(Status), r"^(?:feito|pronto|corrigido|ajustado|arrumado|já (?:está|foi|ajustei)|atualizado|alterado|concordo|resolvido|adicionado|removido|renomeado|vou )\b"),
    cue("misses something", Stops(OneOff), r"^(?:falta|faltou|faltam|faltando|sobrou|erro de digitação|typo|sem (?:problema|mudanças))\b|\b(?:nunca|não|já não) é (?:chamad[oa]|usad[oa]|mais usad[oa]|executad[oa])\b"),
    cue("requests", Requests, r"^(?:você (?:pode|poderia)|vocês (?:podem|poderiam)|podemos|poderíamos|pode|poderia|dá pra)\b"),
    cue("always, never", Orders(2), r"\b(?:sempre|nunca|jamais|obrigatoriamente)\b").unless(r"\b(?:é|está|são|retorna|devolve|falha) (?:sempre|nunca)\b|\b(?:sempre|nunca) (?:é|está|retorna|devolve|falha|null|será|vai)\b"),
    cue("always, never do", General(1), r"^(?:sempre|nunca) \S+|\bsempre em\b|\buse sempre\b|\b(?:a gente|nós) (?:sempre|nunca)\b"),
    cue("we do", Orders(1), r"\b(?:usamos|utilizamos|colocamos|escrevemos|seguimos|mantemos|preferimos|evitamos|costumamos|nomeamos|fazemos|guardamos|a gente (?:usa|coloca|escreve|segue|evita|prefere|costuma|faz|mantém)|tentamos|queremos)\b"),
    cue("we do not", Orders(2), r"\b(?:não (?:usamos|utilizamos|colocamos|escrevemos|fazemos|permitimos|queremos|deixamos|misturamos)|a gente (?:não|evita|prefere|nunca)|evitamos|preferimos)\b").unless(r"\ba gente não (?:tem|precisa|sabe)\b"),
    cue("avoid, prefer", Orders(2), r"^(?:evite\w*|evitar|prefira\w*|preferir|procure (?:evitar|não))\b|\b(?:devemos evitar|é melhor (?:evitar|usar|preferir)|melhor evitar)\b"),
    cue("do not", Orders(2), r"^não (?:use|usem|usar|deixe|deixem|deixar|coloque|coloquem|escreva|capture|lance|faça|misture|adicione|esqueça|suba|modifique|mute|abuse|repita|acesse|importe|exporte|retorne|ignore)\b|^(?:nada de|sem|proibido)\b"),
    cue("use one instead of the other", Orders(2), r"\b(?:use|usem|usar|utilize\w*|utilizar)\b.{2,80}\b(?:em vez d[eo]|ao invés d[eo]|no lugar d[eo]|em lugar d[eo])\b"),
    cue("things should", Orders(2), r"^(?:os |as |nossos |nossas |todos os |todas as )?(?:[a-zà-ú\u{e000}-]+s|código)\b.{0,50}\b(?:devem|deveriam|têm que|tem que|precisam|não devem|não podem|começam)\b").unless(r"^(?:os|as) (?:dois|duas|três|testes (?:devem|deveriam) passar|outr[oa]s)\b|^(?:esses|essas|estes|estas|mas)\b"),
    cue("things are", Orders(1), r"\b(?:os|as) .{3,50}\b(?:ficam|são|vão|seguem|levam|usam|devem ficar)\b"),
    cue("should", Orders(0), r"\b(?:deve|devem|deveria|deveriam|tem que|têm que|precisa|precisam|é preciso|certifique-se|lembre|lembrem|é proibido|obrigatório)\b"),
    cue("is not allowed", Orders(2), r"\b(?:é|são|está|estão) (?:\S+ ){0,2}(?:proibid[oa]s?|obrigatóri[oa]s?|desaconselhad[oa]s?)\b"),
    cue("an order", Orders(0), r"^(?:use|utilize|adicione|coloque|escreva|mantenha|nomeie|lembre|documente|feche|separe|siga|teste|garanta)\b"),
    cue("general", General(2), r"\b(?:cada|todos os|todas as|todo (?:o código|novo|endpoint|\S+ novo)|toda (?:função|classe|tabela|migration|\S+ nova|\S+)|em geral|geralmente|de modo geral|normalmente|por convenção|convenç\w+|no futuro|daqui (?:pra|para) (?:a )?frente|a partir de agora|da próxima vez|(?:neste|nesse|no nosso|em todo o) (?:projeto|repo|repositório|código)|nesta base|guia de estilo|regra|boas? práticas?|em todo lugar|quando (?:adicionar|criar)|sempre que)\b").unless(r"\btod[oa]s [oa]s (?:chamadas|testes (?:passam|estão)|usos)\b"),
    cue("here", Local(3), r"\b(?:aqui|linhas? \d+|acima|abaixo|ess[ea] [a-zà-ú\u{e000}]+|est[ea] [a-zà-ú\u{e000}]+|ess[ea]s [a-zà-ú]+|dess[ea]|nest[ea] (?:função|linha|arquivo|método|classe|teste))\b").unless(r"\b(?:n|d)?(?:este|esse) (?:projeto|repo|repositório|módulo|pacote|time)\b|\b(?:esse|este) tipo de\b"),
    cue("it", Local(3), r"^(?:isso|isto|deveria|deve|é|está|ele|ela)\b").unless(r"^é (?:melhor|preferível|obrigatório|proibido|uma convenção)\b"),
    cue("the one", Local(2), r"^(?:o|a) [a-zà-ú\u{e000}]+ (?:deve|deveria|não deve|está|é)\b|\b(?:o|a) (?:segund[oa]|primeir[oa]|últim[oa]|nov[oa]|antig[oa])\b"),
    cue("changes one place", Local(2), r"^(?:remov[ae]|retir[ae]|apag[au]\w*|renome\w+|mova|mud[ae]|corrij[ae]|troqu?[ea]|tir[ae])\b").unless(r"\b(?:sempre|cada|todo|toda)\b"),
    cue("speaks of a possible future", Local(4), r"\b(?:futuro|frente|mais tarde|depois)\b.*\b(?:poderíamos|poderia|talvez|podemos)\b|\bpoder\w*\b.*\bfuturo\b"),
];
