"""A survey of six questions in three sections and thirteen languages, every kind of question in it."""

from decimal import Decimal

from sotto_protocol import Survey, compile_survey

TEXTS = {
    "en": ["The ward", "Six questions, two minutes.", "Your work", "Your colleagues", "And then",
           "Have you ever worked drunk?", "How often did you take pills from the ward?",
           ["never", "once", "often", "no answer"], "What have you seen this year?",
           ["a mistake that was hidden", "a theft", "a colleague harassed"],
           "How much overtime did you work last month?", "hours", "Do you think of leaving?",
           "What should change first?"],
    "de": ["Die Station", "Sechs Fragen, zwei Minuten.", "Ihre Arbeit", "Ihre Kollegen", "Und dann",
           "Haben Sie je betrunken gearbeitet?", "Wie oft nahmen Sie Tabletten der Station?",
           ["nie", "einmal", "oft", "keine Angabe"], "Was haben Sie dieses Jahr gesehen?",
           ["einen vertuschten Fehler", "einen Diebstahl", "Belästigung"],
           "Wie viele Überstunden hatten Sie letzten Monat?", "Stunden", "Denken Sie daran zu gehen?",
           "Was soll sich zuerst ändern?"],
    "fr": ["Le service", "Six questions, deux minutes.", "Votre travail", "Vos collègues", "Et ensuite",
           "Avez-vous déjà travaillé ivre ?", "Combien de fois avez-vous pris des comprimés du service ?",
           ["jamais", "une fois", "souvent", "sans réponse"], "Qu'avez-vous vu cette année ?",
           ["une erreur cachée", "un vol", "un harcèlement"],
           "Combien d'heures supplémentaires le mois dernier ?", "heures", "Pensez-vous à partir ?",
           "Que faut-il changer d'abord ?"],
    "es": ["La planta", "Seis preguntas, dos minutos.", "Su trabajo", "Sus colegas", "Y después",
           "¿Ha trabajado alguna vez ebrio?", "¿Cuántas veces tomó pastillas de la planta?",
           ["nunca", "una vez", "a menudo", "sin respuesta"], "¿Qué ha visto este año?",
           ["un error oculto", "un robo", "acoso"],
           "¿Cuántas horas extra hizo el mes pasado?", "horas", "¿Piensa en irse?", "¿Qué debe cambiar primero?"],
    "pt": ["A enfermaria", "Seis perguntas, dois minutos.", "O seu trabalho", "Os seus colegas", "E depois",
           "Já trabalhou embriagado?", "Quantas vezes tomou comprimidos da enfermaria?",
           ["nunca", "uma vez", "muitas vezes", "sem resposta"], "O que viu este ano?",
           ["um erro escondido", "um roubo", "assédio"],
           "Quantas horas extra fez no mês passado?", "horas", "Pensa em sair?", "O que deve mudar primeiro?"],
    "ar": ["القسم", "ستة أسئلة في دقيقتين.", "عملك", "زملاؤك", "وبعد ذلك",
           "هل عملت يومًا وأنت سكران؟", "كم مرة أخذت حبوبًا من القسم؟",
           ["أبدًا", "مرة واحدة", "كثيرًا", "بلا إجابة"], "ماذا رأيت هذا العام؟",
           ["خطأ تم إخفاؤه", "سرقة", "مضايقة زميل"],
           "كم ساعة إضافية عملت الشهر الماضي؟", "ساعة", "هل تفكر في المغادرة؟", "ما الذي يجب أن يتغير أولًا؟"],
    "hi": ["वार्ड", "छह प्रश्न, दो मिनट।", "आपका काम", "आपके सहकर्मी", "और फिर",
           "क्या आपने कभी नशे में काम किया है?", "आपने वार्ड की गोलियाँ कितनी बार लीं?",
           ["कभी नहीं", "एक बार", "अक्सर", "कोई उत्तर नहीं"], "आपने इस साल क्या देखा?",
           ["छिपाई गई गलती", "चोरी", "सहकर्मी का उत्पीड़न"],
           "पिछले महीने आपने कितना ओवरटाइम किया?", "घंटे", "क्या आप छोड़ने की सोच रहे हैं?", "सबसे पहले क्या बदलना चाहिए?"],
    "zh": ["病房", "六个问题,两分钟。", "您的工作", "您的同事", "然后",
           "您是否曾在醉酒时工作?", "您多久服用一次病房的药片?",
           ["从不", "一次", "经常", "不回答"], "您今年看到过什么?",
           ["被掩盖的错误", "盗窃", "同事受骚扰"],
           "您上个月加班多少?", "小时", "您考虑过离职吗?", "最先应该改变什么?"],
    "it": ["Il reparto", "Sei domande, due minuti.", "Il Suo lavoro", "I Suoi colleghi", "E poi",
           "Ha mai lavorato da ubriaco?", "Quante volte ha preso pastiglie del reparto?",
           ["mai", "una volta", "spesso", "nessuna risposta"], "Che cosa ha visto quest'anno?",
           ["un errore nascosto", "un furto", "molestie"],
           "Quante ore di straordinario il mese scorso?", "ore", "Pensa di andarsene?", "Che cosa cambiare prima?"],
    "nl": ["De afdeling", "Zes vragen, twee minuten.", "Uw werk", "Uw collega's", "En dan",
           "Hebt u ooit dronken gewerkt?", "Hoe vaak nam u pillen van de afdeling?",
           ["nooit", "één keer", "vaak", "geen antwoord"], "Wat hebt u dit jaar gezien?",
           ["een verzwegen fout", "een diefstal", "intimidatie"],
           "Hoeveel overuren maakte u vorige maand?", "uur", "Denkt u aan vertrekken?", "Wat moet eerst anders?"],
    "pl": ["Oddział", "Sześć pytań, dwie minuty.", "Praca", "Współpracownicy", "A potem",
           "Czy zdarzyła się praca po alkoholu?", "Jak często brano tabletki z oddziału?",
           ["nigdy", "raz", "często", "bez odpowiedzi"], "Co było widać w tym roku?",
           ["ukryty błąd", "kradzież", "nękanie"],
           "Ile nadgodzin w zeszłym miesiącu?", "godz.", "Czy pojawia się myśl o odejściu?", "Co zmienić najpierw?"],
    "tr": ["Servis", "Altı soru, iki dakika.", "İşiniz", "İş arkadaşlarınız", "Ve sonra",
           "Hiç sarhoşken çalıştınız mı?", "Servisin haplarını ne sıklıkla aldınız?",
           ["hiç", "bir kez", "sık sık", "yanıt yok"], "Bu yıl ne gördünüz?",
           ["gizlenen bir hata", "bir hırsızlık", "taciz"],
           "Geçen ay kaç saat fazla mesai yaptınız?", "saat", "Ayrılmayı düşünüyor musunuz?", "Önce ne değişmeli?"],
    "uk": ["Відділення", "Шість запитань, дві хвилини.", "Ваша робота", "Ваші колеги", "А далі",
           "Чи працювали ви колись напідпитку?", "Як часто ви брали таблетки відділення?",
           ["ніколи", "один раз", "часто", "без відповіді"], "Що ви бачили цього року?",
           ["приховану помилку", "крадіжку", "цькування"],
           "Скільки понаднормових годин минулого місяця?", "год.", "Чи думаєте ви звільнитися?", "Що змінити спершу?"],
}  # fmt: skip
"""By language: title, introduction, three sections, then what is asked, each question's options or unit behind it."""
ANSWERS = {
    "drunk": True,
    "pills": "often",
    "seen": ["a theft", "a colleague harassed"],
    "overtime": 12,
    "leave": False,
    "change": "pay",
}
"""As the client takes them, in every language."""


def ward(
    survey_id: str, *languages: str, parts: bool = True, epsilon: Decimal = Decimal(8), **members: object
) -> Survey:
    """Return the survey in these languages, by default in all; the first is its own. `parts`: it has its sections."""
    said = {tag: TEXTS[tag] for tag in languages or TEXTS}
    lang = next(iter(said))

    def words(member: str, place: int) -> dict[str, object]:
        return {member: {tag: texts[place] for tag, texts in said.items()}}

    def asked(name: str, kind: str, text: int, section: int = 0, **more: object) -> dict[str, object]:
        begun = words("section", section) if parts and section else {}
        return {"id": name, "type": kind, "epsilon": epsilon / 8} | begun | words("text", text) | more

    more = {"controller": "The staff council", "contact": "council@hospital.example"} | members
    questions = [
        asked("drunk", "yes-no", 5, 2),
        asked("pills", "one-of", 6, **words("options", 7), skip=TEXTS[lang][7][3]),
        asked("seen", "any-of", 8, 3, **words("options", 9), mechanism="bit-flips", epsilon=epsilon / 4),
        asked("overtime", "number", 10, **words("unit", 11), minimum=0, maximum=80, step=1),
        asked("leave", "yes-no", 12, 4),
        asked("change", "text", 13, epsilon=epsilon / 4),
    ]
    head = {"id": survey_id, "lang": lang} | words("title", 0) | words("introduction", 1)
    return compile_survey(head | more | {"questions": questions})
