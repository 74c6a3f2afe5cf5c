/**
 * Concepts of everyday words: the general knowledge by which "which activities" finds "camping".
 *
 * - A line is one concept: the words that name it, `=`, the words that exemplify it. A name counts as an example.
 * - The lexicon is written by hand, not learned from a data set, and is parsed at the first use.
 * - Indexes on disk depend on it: a change needs a new version of the projection that owns the texts.
 */
export const LEXICON = `
activity hobby pastime leisure recreation fun partake participate interest = camp hike swim run jog paint draw
  sketch pottery ceramics dance sing cook bake garden read knit sew crochet fish surf ski snowboard skate
  skateboard climb kayak canoe sail yoga pilates photography cycle bike chess puzzle board game volunteer museum
  picnic craft scrapbook woodwork bowl golf tennis basketball football soccer baseball volleyball hockey karate
  taekwondo boxing kickbox gym workout
outdoor outdoors nature wilderness = camp hike trail mountain forest lake river beach park kayak canoe climb
  fish picnic campfire tent sunset waterfall surf ski garden bike woods meadow canyon valley wildlife stargaze
  backpack walk
sport athletic athlete = basketball football soccer baseball volleyball hockey tennis golf swim run cycle surf
  ski snowboard skate skateboard rugby cricket badminton boxing wrestle gymnastics rowing marathon triathlon
  fencing archery softball lacrosse team coach match tournament league championship score goal player court
martial fight = karate taekwondo judo kickbox boxing jiu jitsu aikido wrestle fencing krav kendo dojo
exercise fitness workout train training gym = run jog yoga pilates cardio weight lift strength squat pushup
  cycle spin swim aerobics crossfit treadmill marathon stretch kickbox boxing hiit zumba bootcamp
art artistic creative create artwork craft = paint draw sketch pottery ceramics clay sculpture sculpt canvas
  watercolor acrylic mural portrait drawing illustration photograph gallery exhibit collage origami knit sew
  quilt embroidery calligraphy print stained glass design bowl vase
paint painting = canvas watercolor acrylic portrait landscape mural brush palette easel oil abstract
music musical musician = song sing guitar piano violin drum band concert album melody orchestra choir cello
  flute saxophone clarinet trumpet ukulele bass singer gig festival playlist lyrics tune jazz rock pop classical
  rap hiphop opera
instrument = guitar piano violin drum cello flute saxophone clarinet trumpet ukulele bass harp keyboard
  harmonica
concert show gig performance perform = stage band audience festival tour ticket crowd recital musical play
  theater opera
dance dancer dancing = ballet salsa hiphop contemporary tango ballroom studio choreography choreograph routine
  zumba tap
book novel reading read literature author = story bookshelf library chapter series fiction nonfiction memoir
  biography fantasy mystery thriller poem poetry bookstore page character plot trilogy bestseller title
  recommend
movie film cinema = watch director actor actress trilogy sequel documentary comedy horror thriller animation
  theater scene screenplay character hollywood netflix
show series television tv = watch episode season netflix sitcom drama stream documentary anime
write writer writing = script screenplay story novel poem poetry journal blog essay draft publish manuscript
  author book article letter diary chapter editor
game gaming video videogame gamer = play player console controller tournament level quest rpg strategy
  multiplayer xbox playstation nintendo steam esports cards chess dice puzzle virtual
tournament competition contest compete = win won winner champion championship match prize trophy medal race
  final finalist finals place award
win won victory = champion championship trophy medal prize award first winner beat title scored
food eat meal dish cuisine = dinner lunch breakfast pizza pasta burger salad soup sandwich sushi taco curry rice
  noodle chicken beef fish steak vegetable veggie fruit bread cake cookie pie snack dessert chocolate cheese
  grill bake cook roast recipe restaurant egg pancake bacon salmon shrimp tofu stew lasagna muffin cupcake
  brownie ice cream
dessert sweet treat = cake cookie pie brownie cupcake chocolate ice cream pudding candy muffin tart donut pastry
  mousse cheesecake macaron parfait sorbet sundae caramel
cook cooking bake baking recipe = dish ingredient oven grill roast kitchen chef meal dinner cake cookie bread
  soup fry boil marinate season sauce spice dough
drink beverage = coffee tea juice water soda beer wine cocktail smoothie milk latte espresso lemonade cider
  whiskey
healthy diet nutrition = vegetable veggie salad fruit protein vegan vegetarian calorie weight sugar snack soda
  eat
vegetable veggie = carrot tomato broccoli spinach lettuce onion pepper potato cucumber pumpkin zucchini kale
  corn bean
fruit = apple banana orange strawberry blueberry berry grape mango peach pear pineapple lemon watermelon cherry
restaurant dine = cafe diner bistro pub bar dinner lunch brunch menu waiter chef reservation takeout
pet pets = dog puppy cat kitten kitty hamster rabbit bunny parrot bird fish goldfish turtle tortoise lizard
  snake gecko guinea pig ferret vet leash bowl paw fur adopt shelter breed retriever labrador poodle terrier
  beagle husky corgi bulldog shepherd spaniel tabby tomcat canary gerbil
dog puppy pup = walk leash bark fetch retriever labrador poodle shepherd bulldog terrier beagle husky corgi paw
  treat
animal = dog cat bird horse cow pig sheep goat bear deer fox wolf lion tiger elephant monkey rabbit squirrel
  turtle snake fish whale dolphin eagle owl duck chicken butterfly bee wildlife zoo farm
trick command = sit stay paw roll rollover fetch catch frisbee swim spin shake
plant garden gardening flower = rose tulip sunflower lily orchid seed soil grow bloom succulent herb tomato tree
  basil greenhouse lawn cactus daisy lavender peony
family relative = mother mom mum father dad parent son daughter sister brother sibling husband wife kid child
  children baby grandma grandpa grandmother grandfather grandparent aunt auntie uncle cousin niece nephew spouse
  relatives inlaw
parent parents = mother mom mum father dad mommy daddy stepmother stepfather
child children kid kids = son daughter baby toddler boy girl youth teen teenager grandchild school playground
  toy
partner spouse relationship date dating romantic love = husband wife girlfriend boyfriend fiance fiancee wedding
  marry married marriage engaged engagement anniversary divorce breakup propose couple girlfriend romance
  honeymoon
sibling siblings = sister brother twin
friend friends friendship buddy = pal mate roommate neighbor neighbour colleague coworker teammate fellow
  buddies
colleague coworker = team boss manager office workmate work teammate
who people person support = family friend mentor mother father parent team community group colleague neighbor
  teacher coach
marriage wedding marry married = bride groom ceremony engaged engagement honeymoon anniversary husband wife
  propose
birth baby pregnant = born newborn infant pregnancy toddler maternity nursery
adopt adoption = agency orphan foster shelter rescue parent
death died loss grief lose lost = pass passed funeral grieve mourn late memorial cemetery bereavement tribute
job work career profession occupation employment living = office company boss manager engineer teacher nurse
  doctor lawyer promotion hire interview salary internship resume startup business colleague client project
  shift layoff retire quit freelance position role
business company startup entrepreneur venture = store shop studio launch brand client customer customers
  investor market marketing product firm owner founder
money financial finance finances = pay cost price dollar budget save savings debt loan bank salary income invest
  investment tax rent mortgage expense afford fund broke
buy bought purchase shop shopping item = store mall price order online sale new got purchased gift market
own possess collect collection = collect have bought memorabilia figurine stamp coin vinyl bookshelf
gift present = birthday surprise gave wrap necklace bracelet card souvenir
clothes clothing outfit wear fashion = dress shirt shoe shoes pants jeans jacket coat hat scarf sweater hoodie
  suit boots sneakers socks skirt costume jersey
jewelry accessory = necklace bracelet ring earring pendant watch locket
school education study academic class course = student teacher university college degree exam test homework
  lesson graduate graduation professor lecture major tutor semester assignment learn workshop diploma phd master
  campus
class classes course workshop lesson = learn sign signed enroll join joined teach instructor pottery yoga
  cooking art
degree graduate field major = university college diploma certificate certification bachelor master psychology
  engineering
learn skill practice = lesson class course teach tutor train study master
travel trip vacation visit visited journey tour holiday = flight fly airport hotel beach road roadtrip abroad
  tourist city country explore cruise passport destination drove drive backpack resort train europe asia camping
  island sightsee
place places location where area areas = city town country state beach park mountain cafe restaurant museum
  street neighborhood village island coast lake home hometown
country countries nation abroad = usa america canada mexico brazil argentina uk england britain scotland ireland
  france spain portugal italy germany switzerland austria netherlands belgium sweden norway denmark finland
  poland greece turkey russia ukraine egypt morocco kenya nigeria south africa india china japan korea thailand
  vietnam indonesia bali philippines malaysia singapore australia zealand iceland peru chile colombia cuba
  israel dubai
state states usa = california texas florida york oregon washington colorado arizona nevada utah michigan
  illinois ohio georgia virginia carolina massachusetts minnesota wisconsin tennessee hawaii alaska maine
  vermont montana indiana
city cities town = york angeles chicago boston seattle francisco miami houston dallas denver austin portland
  philadelphia atlanta vegas orleans detroit phoenix london paris berlin rome madrid barcelona lisbon amsterdam
  vienna prague dublin edinburgh manchester oslo stockholm copenhagen athens istanbul moscow tokyo kyoto seoul
  beijing shanghai hong kong bangkok singapore sydney melbourne toronto vancouver montreal mumbai delhi cairo
  rio nyc downtown
park national = yosemite yellowstone canyon zion glacier rockies trail forest
beach ocean sea coast = surf sand wave shore swim island sail snorkel dive seashell coastal
mountain mountains = hike climb peak summit ski trail alps rockies hill
move moved relocate live lived home hometown = apartment house neighborhood city rent lease born grew origin
  native immigrate emigrate new place country
origin from background heritage nationality identity = country hometown born grew native culture roots immigrant
  transgender gay lesbian woman man religion
house apartment home housing = mortgage rent room kitchen bedroom renovate renovation condo mansion flat yard
  landlord roommate furniture property realtor
furniture decor decorate = sofa couch chair table lamp desk bed shelf rug curtain bookshelf
car vehicle drive transport commute = truck suv prius tesla toyota honda ford bmw ferrari motorcycle bike
  scooter engine mechanic garage tire license van bus train subway road driver repair gearbox clutch brake
  motorway highway gas fuel mileage parking windshield battery dent
break broke broken damage repair fix problem issue trouble = crash accident leak fail malfunction stuck repairs
  mechanic
health medical illness sick disease condition = doctor hospital clinic nurse surgery injury pain medicine
  medication diagnosis diagnose allergy asthma diabetes cancer flu cold fever headache migraine therapy checkup
  symptom weight blood pressure heart gastritis ulcer recovery heal
injury injured hurt injure = ankle knee shoulder leg arm back wrist sprain fracture broke broken torn crutches
  cast physical therapy rehab surgery pain recover
doctor dentist physician = hospital clinic nurse appointment checkup surgeon therapist specialist
allergy allergic = peanut nut hazelnut pollen dairy gluten dander lactose shellfish reaction hives rash swell
  swollen itch sneeze throat fur
stress destress relax relaxing unwind calm cope coping = therapy meditate meditation yoga breathe peaceful
  soothe anxiety pressure overwhelm massage spa bath peace headspace clear escape distract soothing
mental wellbeing selfcare care = therapy therapist counseling counselor anxiety depression stress mindful
  meditation heal
feel feeling emotion mood = happy sad angry excited nervous anxious proud grateful thankful lonely scared
  frustrated upset overwhelmed stressed thrilled joy fear worry
happy joy happiness = glad excited thrilled delighted smile laugh cheer blessed grateful fun
sad upset unhappy disappointed = cry tears depressed heartbroken lonely tough hard down grief miss
scared afraid fear = scary nervous anxious terrify phobia frighten worried
challenge difficult difficulty struggle obstacle setback hardship negative = hard tough problem issue trouble
  setback injury loss lost fail failure overcome worry bad rough unfair conflict
goal goals plan plans future ambition dream aspiration aspire hope want = aim target resolution next someday
  wish intend looking forward upcoming hoping planning considering thinking
consider considering try trying attempt new = thinking maybe might planning tried started thought explore
favorite favourite prefer preference like enjoy love = best fan adore fond fav favorites passion passionate
  loves
dislike hate = annoy awful terrible worst avoid cant stand
motivate motivation inspire inspiration reason why = because passion drive encourage encouragement role model
  influence
advice tip suggest suggestion recommend recommendation recommended = try should advise check worth suggested
help support assist volunteer charity cause = donate donation shelter homeless fundraiser nonprofit community
  foodbank service mentor rescue aid campaign food bank kitchen organization
charity fundraiser fundraising donate donation = raise raised money cause shelter homeless nonprofit 5k auction
  toy food
community group organization club society = join joined member members church volunteer meeting neighborhood
  support
event events celebration attend attended participate = party festival parade concert conference wedding ceremony
  fair meeting workshop gala fundraiser march rally race exhibition show marathon reunion picnic parade premiere
celebrate celebration party holiday = birthday anniversary christmas thanksgiving halloween easter wedding
  graduation cake fireworks champagne toast
holiday holidays = christmas thanksgiving halloween easter hanukkah diwali eid valentine newyear ramadan
lgbtq lgbt queer = gay lesbian transgender trans bisexual pride rainbow nonbinary ally coming
identity gender = transgender trans woman man nonbinary queer pronoun transition self
politics political government policy law = vote election campaign mayor senator council rights activist protest
  petition reform legislation office running candidate
rights activism activist protest = march rally petition equality campaign justice awareness advocate advocacy
military veteran veterans = army navy soldier service troop marine war deploy
religion religious faith spiritual belief = church god pray prayer temple mosque bible jesus christian muslim
  jewish hindu buddhist priest worship
environment climate environmental sustainable = recycle pollution carbon green ocean cleanup plastic solar
  renewable conservation warming
science scientist research = experiment lab physics chemistry biology study data discovery paper space astronomy
technology tech computer software device gadget = laptop phone app program programming code developer robot ai
  internet website tablet server machine headset printer camera hardware
programming code software developer app application = python javascript java typescript react database server
  bug api website web framework deploy deployment test library function algorithm project
phone mobile = iphone android call text app cellphone smartphone
photo photograph picture photography image = camera pic portrait shot lens album selfie snapshot capture
weather = rain rainy snow sunny storm wind cold hot warm cloudy hurricane flood heat
season = spring summer autumn fall winter
disaster emergency = fire flood hurricane earthquake storm tornado accident evacuate rescue
accident crash = hit collision injured ambulance fell slip
night evening sleep bed = dream insomnia nap asleep wake tired rest
morning breakfast = wake coffee sunrise early
time schedule date when = today tomorrow yesterday week weekend month year ago last next january february march
  april may june july august september october november december monday tuesday wednesday thursday friday
  saturday sunday
start began begin first = started beginning launched joined since signed opened new
end finish stop quit = finished ended done over complete completed retire left
meet met = introduced encounter know first saw reunion
talk discuss speak conversation = told said chat speech call mention discussion
speech presentation talk = audience stage conference speaker public keynote
award prize recognition achievement accomplish accomplishment achieve proud = won winner medal trophy
  certificate honor promotion milestone success graduated published
symbol symbolize represent meaning important = flag rainbow eagle heart cross tattoo necklace ring sign stand
tattoo piercing = ink design
memory memories remember childhood past = young grew nostalgia old remind reminds reminder younger kid throwback
age old young = birthday years born turned teenager
name named nickname = called
color colour = red blue green yellow purple orange pink black white brown gray grey gold silver
number many count times = one two three four five six seven eight nine ten several few dozen couple twice once
family-activity bond bonding together = picnic camp hike beach museum cook game movie dinner trip park playing
museum exhibit exhibition = gallery art dinosaur history display
boat ship cruise = sail kayak canoe ferry yacht
fear phobia = spider height dark snake
dance-venue studio = rehearsal class mirror floor
fantasy magic = wizard dragon potter hobbit rings thrones sword myth realm kingdom
superhero comic = marvel batman spiderman superman avengers
space astronomy = star moon planet telescope galaxy rocket nasa stargaze meteor
language languages = english spanish french german italian chinese mandarin japanese korean russian portuguese
  arabic fluent bilingual learn
subject topic = math mathematics history science physics biology chemistry geometry algebra literature
weight = pounds lose lost kilos lbs diet scale obese
medication medicine = pill dose prescription tablet drug vitamin supplement
supplement = vitamin protein yoga strength extra
insurance legal lawyer contract = claim policy court sue document sign agreement will estate
deadline due milestone sprint = date submit deliver release launch finish march april schedule
security login authentication auth = password user session token permission access hash encryption lockout
error bug exception failure = fix traceback crash debug issue fail handle
performance speed latency optimize = faster slow cache time response query index ms
meeting appointment interview = schedule call zoom calendar session
loan mortgage debt credit = bank interest payment score apr
sibling-in-law inlaw = mother father sister brother
neighbor neighbour neighbourhood neighborhood = street community door local
beauty hair makeup skincare = haircut salon lipstick nails skin dye
toy toys = doll lego teddy bear puzzle stuffed
cooking-tool appliance = oven fridge blender grill microwave toaster
roommate housemate = apartment rent share
trophy medal = gold silver bronze champion
band artist singer = album song concert fan tour
team teammate = coach player league season position captain
fan supporter = team favorite club cheer
hospital clinic = doctor nurse surgery visit emergency ward
rescue shelter = dog cat adopt homeless animal
`;
